/* SPDX-License-Identifier: Apache-2.0
 *
 * The search through all executions that differ in what is read from where. Two executions are the same if every read
 * has the same source, the write it reads from, and if all other steps that depend on each other (core/dependence.c)
 * come in the same order: writes that nobody reads in between need not be ordered, nor a read and a write of which it
 * sees nothing.
 *
 * The search is a tree. A node is a prefix: a set of events that is closed, as it has with each event all before it in
 * its thread, its source, and all that must come before it. Its order is not part of it. The next event, taken as the
 * execution goes on by itself, divides all executions that have the prefix:
 *  - a write divides nothing: all of them have it;
 *  - a read, by its source and the past of that source, as far as it is not in the prefix;
 *  - any other step, by the first step after the prefix that depends on it, itself or another one, and that one's past.
 * Each part is explored once, so no execution is met twice, but for steps some of which commute on one object. What
 * parts there are shows on the way: a write that some execution below the node has, and that does not come after the
 * read, can be its source; a step that comes after another one and could do without it can come first. Of two updates
 * of the same bytes, the later one, if it could have come without the earlier, is tried as its source, reading what
 * that one read. Why that finds all parts: of an execution in which the read has another source, take the past of that
 * source without the read, and let the read come right after the prefix instead: pure reads disturb nobody, an update
 * disturbs only the update that would read what it read, which is the case above. A part is tried only if there is an
 * order of its events in which each read finds its source (arrange.c).
 *
 * Between that and the order of all that depends (explorer.h) is the search by what is observed, where a read comes
 * after the same writes, too, not only finds the same one: the parts of a read are then those of observed.c. Orders of
 * writes that come between the same reads are the same as here, but for the last.
 *
 * Looks in vain (vain.h) are no steps here either. Where a read would be one, there is one part more: the executions in
 * which it never comes, since its thread waits for good. There the thread is held back, and in the end it must be
 * possible to arrange what came such that it looks in vain.
 * Steps that may concern everything (signals, processes, waits for the system) are not covered: the search ends there
 * and says so. Nor is a read of other bytes than those of two writes that nothing orders, be it of a part or of more
 * (order_shows_more()): it sees which came last, and has no source to be divided by. And an execution that fails while
 * others could go on hides what they would have done: a search with one is not complete.
 */
#ifndef HEDDLE_EXPLORE_SOURCES_H
#define HEDDLE_EXPLORE_SOURCES_H

#include "core/control.h"
#include "core/strategy.h"
#include "explore/order.h"
#include "explore/rounds.h"
#include "explore/vain.h"

#define SOURCES_POOL (1u << 28) /* words of four bytes */
#define SOURCES_PARTINGS (1u << 20)
#define SOURCES_CLASSES 26

/* An event, whatever the order: the thread and which of its events it is, from 1. All 0: what was there at the start.
 */
struct event_id {
  uint32_t thread, nth;
};

/* A division of the executions that have a prefix. */
struct parting {
  uint32_t at;   /* so many explored events are the prefix */
  uint32_t done; /* parts that are known: a list in the pool, + 1 */
  uint32_t todo; /* courses of those that are not explored */
  uint32_t held; /* the part that is explored now is that in which this thread waits for good, + 1 */
};

/* What is to be explored next. */
struct course_step {
  uint16_t thread;
  uint16_t choices; /* data choices that are told; their values follow */
  bool fresh;       /* it is none of the prefix, or not as it was there */
  bool reads;
  struct event_id source; /* of a read */
};

struct course {
  uint32_t next; /* of its parting, + 1 */
  uint32_t words, steps;
  uint32_t thread, nth; /* the event that stands for the parting there */
  uint32_t held;        /* as in struct parting */
  uint32_t step[];      /* struct course_step, its choices, and so on */
};

struct part_known {
  uint64_t part;
  uint32_t next;
};

struct explored_event {
  struct event_id id;
  uint32_t parting; /* + 1; 0: it divides nothing */
};

/* An event while a course is made (arrange.c). */
struct arranged {
  uint32_t event;     /* of the order, or a phantom */
  uint32_t place;     /* which bytes it accesses: the same number for the same */
  uint32_t source;    /* item, + 1; 0: the start */
  uint32_t readers;   /* items that read it and have not come */
  uint32_t before;    /* what was written there before it, + 1, while it is placed */
  uint32_t next;      /* item of its thread, + 1 */
  uint32_t rival;     /* the write of the same bytes before it, + 1 */
  uint32_t beside;    /* observed: another access of the same bytes, + 1, */
  uint32_t early;     /* and so many of them have yet to come before it */
  bool alone;         /* all other writes of these bytes come before or after it anyway */
  bool reads, writes; /* bytes that others access in the same way */
  uint8_t changed;    /* + 1: it does not come as it came, but as that change says */
  bool supposed;      /* it only must be possible: it is no part of the course */
};

/* An event that is to come in another way. */
struct alteration {
  uint32_t event;
  uint32_t source; /* event, + 1; 0: the start */
  bool writes, supposed;
  struct horizon need; /* all that must come before, but for its source */
};

#define ALTERATIONS_MOST 8

#define ARRANGE_PLACES (1u << 12)
#define ARRANGE_STATES (1u << 12)

struct arrangement {
  uint32_t items, placed, changes, places, states, steps;
  uint32_t head[MAX_THREADS]; /* of each thread, the next item, + 1 */
  uint32_t tail[MAX_THREADS];
  uint32_t done[MAX_THREADS]; /* events of the thread that have come */
  unsigned threads;
  uint64_t state; /* a number for what has come and what is written */
  struct alteration change[ALTERATIONS_MOST];
  struct {
    uint64_t bytes;   /* a number for them, 0: free */
    uint32_t written; /* by item, + 1 */
    uint32_t writer;  /* the last of them, + 1 */
    uint32_t readers; /* items that read what was there at the start and have not come */
    uint32_t access;  /* the last one found, + 1 */
  } place[ARRANGE_PLACES];
  uint64_t dead[ARRANGE_STATES]; /* states from which there is no way */
  uint32_t item_of[ORDER_EVENTS + MAX_THREADS];
  bool comes[ORDER_EVENTS];                 /* by event */
  uint8_t seen[ORDER_EVENTS + MAX_THREADS]; /* by event: changed reads, a bit each, that come after it */
  struct arranged item[ORDER_EVENTS];
  uint32_t order[ORDER_EVENTS];                      /* items as they are placed */
  uint32_t level[ORDER_EVENTS], tried[ORDER_EVENTS]; /* where a write was chosen: items placed by then, and which */
};

struct sources {
  bool finished, restart;
  bool begun; /* a place of looks in vain that is found now makes it begin anew */
  bool hashing;
  bool redo;     /* the same course again: there is more to know of it */
  uint64_t lost; /* a set of LOST_* */
  enum aside aside;

  uint32_t explored_count, partings;
  uint32_t course; /* that is followed, + 1 */
  uint32_t top;    /* the parting it is of, + 1 */

  /* This execution. */
  bool strayed, blocked, looked_in_course, freewheeling;
  uint32_t kept; /* events at the beginning that are as in the execution before */
  uint32_t position, choice_at;
  uint32_t step_at; /* of the course, the next word */
  uint32_t told;    /* of the current step, where its choices are told, */
  uint32_t told_count;
  uint32_t told_of_fresh; /* the same of the step that is new in the course */
  uint64_t operation, since;
  unsigned current;
  uint64_t class_hash;
  struct threadset held;    /* threads that wait for good, and do not go on */
  struct threadset waiting; /* those who looked in vain in the end */
  bool trying;              /* one of the held takes its look, to find out where it leads */
  struct vain_look tried;
  bool impatient; /* one of the held does not look in vain in the end */
  struct rounds rounds;
  struct vain vain;

  uint32_t free_block[SOURCES_CLASSES];
  uint32_t pool_used;
  struct parting parting[SOURCES_PARTINGS];
  struct explored_event explored[ORDER_EVENTS];
  uint32_t first[MAX_THREADS + 1];         /* by thread: where its events are in `nth` */
  uint32_t nth[ORDER_EVENTS];              /* events by thread and number */
  uint32_t at[ORDER_EVENTS + MAX_THREADS]; /* by event: where it was explored; UINT32_MAX: not yet */
  bool fresh[ORDER_EVENTS + MAX_THREADS];  /* by event: it is new in this execution */
  uint64_t sign[ORDER_EVENTS];             /* by event: a number for it and what it saw */
  struct arrangement arrangement;
  uint32_t pool[SOURCES_POOL];
  struct order order;
};

void sources_open(struct sources *s, const struct control_config *config);
void sources_begin(struct sources *s);
unsigned sources_pick(struct sources *s, const struct choice *c);
unsigned sources_choose(struct sources *s, unsigned n);
bool sources_end(struct sources *s, const struct outcome *outcome);
void sources_forget(struct sources *s);

/* ---- for the parts of the search ---- */

static inline struct course *course_at(struct sources *s, uint32_t p)
{
  return (struct course *)&s->pool[p - 1];
}
/* So many words of four bytes; + 1. 0: no memory, and the order is full. */
uint32_t pool_take(struct sources *s, uint32_t words);
void pool_give(struct sources *s, uint32_t block, uint32_t words);

/* parts.c: the parts that the execution shows, of all partings. */
void sources_find_parts(struct sources *s, const struct outcome *outcome);
/* The read that the course asks for would be in vain: there is a part in which its thread waits for good. */
void sources_add_waiting(struct sources *s);
/* And the other outcomes of data choices. stands: the event that stands for the course's parting. */
void sources_add_outcomes(struct sources *s, uint32_t stands);
/* A number for the class of the execution. */
uint64_t sources_class(const struct sources *s);
/* Who is who in this execution: where each event was explored, and a number for each. */
void sources_identify(struct sources *s);

/* arrange.c: which events are to come, and how. */
void arrange_begin(struct sources *s);
static inline void arrange_add(struct sources *s, uint32_t event)
{
  s->arrangement.comes[event] = true;
}
/* With this source (event, + 1; 0: the start), writing or not. What must come before is left to who asks. */
struct horizon *arrange_change(struct sources *s, uint32_t event, uint32_t source, bool writes);
/* Observed: the event of the last change reads, and comes after that write. */
static inline void arrange_see(struct sources *s, uint32_t write)
{
  s->arrangement.seen[write] |= (uint8_t)(1u << (s->arrangement.changes - 1));
}
/* Writes a course in which all of them come and every read has its source; the event stands for the parting. False:
 * there is none, or no memory. */
bool arrange_course(struct sources *s, struct parting *h, uint32_t event);
/* The events of the prefix as they came; the thread waits for good. */
void course_to_wait(struct sources *s, struct parting *h, unsigned thread, uint32_t nth);
/* The same as that course has them, of which it turned out that its read would be in vain. */
void course_to_wait_instead(struct sources *s, struct parting *h, uint32_t voided);
/* The first n events of the execution, with another value for a data choice of one of them. */
void course_outcome(struct sources *s, struct parting *h, uint32_t n, uint32_t stands, uint32_t event, uint32_t choice,
                    uint32_t value);

#endif
