/* SPDX-License-Identifier: Apache-2.0
 *
 * The search through all executions that differ in what some step sees: one execution for each maximal causal class.
 *
 * Two executions are of one class if each thread takes the same steps and sees the same in them (model.h). From each
 * execution the search asks, of each step that sees something, for a beginning of another execution of the same program
 * in which that step sees something else (search.c): prefixes of all threads, as they were, and then that step. Such a
 * set of prefixes is run, in the order that was found, and then goes on by itself, unless some execution has all of it
 * already (classes.c: it is subsumed). What is asked for is not just one such set for each step and value, but all that
 * are not within another one: with fewer, classes would be lost in which a step sees something else while another one
 * still sees what it saw.
 *
 * Why that finds all classes: of a class that was not run, take an order and an execution that was run such that the
 * order stays within the prefixes of that execution for as long as can be. The next step of the order is of a thread
 * that has seen the same so far, so it is the same step; it sees something else, or the execution ended before it came
 * to it. That beginning and that step were found from the execution, so some execution has both, which stays with the
 * order for longer. Why none is run twice: each run has a set of prefixes that no execution before it had.
 *
 * An execution in which nobody can go on may lie within the prefixes of one that came to its end. So such states are
 * looked for as well, in each execution, and those found are run: they are no classes of their own.
 *
 * What is not covered is found out on the way, and is a loss: steps without a rule, executions that the model does not
 * explain, questions that take too long, executions that fail while others could go on.
 */
#ifndef HEDDLE_CAUSAL_CAUSAL_H
#define HEDDLE_CAUSAL_CAUSAL_H

#include "causal/model.h"
#include "core/control.h"
#include "core/planned.h"
#include "core/strategy.h"

#define CAUSAL_STATES_BITS 19
#define CAUSAL_STATES_MOST (1u << (CAUSAL_STATES_BITS - 1)) /* of one question; then it is not answered */
#define CAUSAL_STEPS_MOST 3000000 /* taken for all questions of one execution: about a second */
#define CAUSAL_TRAIL (UINT64_C(1) << 28)
#define CAUSAL_CLASSES (1u << 24)
#define CAUSAL_KEY_BITS 24
#define CAUSAL_CHUNKS (1u << 26)
#define CAUSAL_COURSES (1u << 22)
#define CAUSAL_POOL (UINT64_C(1) << 27)
#define CAUSAL_MARK_BITS 22

/* What a run is to show; the more important is further down. */
enum causal_reason {
  REASON_ANOTHER,   /* a step sees something else */
  REASON_NEW,       /* that nobody saw at that place in the code */
  REASON_TORN,      /* between two accesses of a thread that may be meant as one (torn_pairs.c) */
  REASON_NULL,      /* that is no address, where there was one */
  REASON_RACE,      /* two threads are about to access the same memory */
  REASON_STANDSTILL /* nobody can go on */
};
#define REASONS (REASON_STANDSTILL + 1)

/* What a thread has done: so many steps, the number of that prefix, and of the last one by which executions are found
 * (0: there is none). */
struct causal_begun {
  uint64_t steps, prefix, found_by;
};

/* A beginning of an execution that is to be run: its steps, and then one that sees something else. In the pool, with
 * what each thread has done, and the steps in their order, behind it. */
struct causal_course {
  uint64_t wanted; /* the sign of the last step */
  uint64_t number; /* for the set of prefixes */
  uint32_t words, steps;
  uint16_t threads;
  uint16_t thread;     /* of the last step; CAUSAL_THREADS: there is none */
  uint16_t choice;     /* in it, + 1 */
  uint8_t reason;      /* enum causal_reason */
  bool dropped;        /* it is not to be run, or was */
  bool given;          /* it came from who keeps what waits (part.h) */
  uint64_t next;       /* of the same reason, in the pool, + 1 */
  bool listed;         /* executions that have the last step are found by it */
  uintptr_t racing[2]; /* places of the steps that are to come at once; 0: none are */
  struct causal_begun begun[];
};

struct causal_branch {
  uint32_t taken;
  uint16_t thread, choice;
};

struct causal_search {
  uint32_t states;
  uint32_t used_count;
  uint64_t visited[1u << CAUSAL_STATES_BITS];
  uint32_t used[CAUSAL_STATES_MOST + 1];
  struct causal_branch branch[CAUSAL_EVENTS];
  uint64_t vary[CAUSAL_WORDS]; /* bits of each word that are not always the same */
  bool is_freed[CAUSAL_WORDS];
};

/* Which threads have to do with which, in one question. */
struct causal_concern {
  uint16_t with[CAUSAL_THREADS];  /* another one, or itself */
  uint32_t limit[CAUSAL_THREADS]; /* so many steps of it can come before the one in question */
  uint8_t written[CAUSAL_WORDS];
  uint16_t user_of_byte[8 * CAUSAL_WORDS], user_of_object[CAUSAL_OBJECTS]; /* thread, + 1 */
};

/* Which classes have a key (class_index.c). */
struct causal_index {
  uint32_t used_count;
  uint32_t used[1u << (CAUSAL_KEY_BITS - 1)]; /* slots, so that they can be emptied */
  struct {
    uint64_t key;
    uint32_t newest, chunks; /* + 1, and how many there are */
  } slot[1u << CAUSAL_KEY_BITS];
  uint32_t chunk_count;
  struct causal_chunk {
    uint32_t block, older; /* 64 classes from 64 * block on; the next chunk of the same key, + 1 */
    uint64_t classes;
  } chunk[CAUSAL_CHUNKS];
};

/* The classes that have all keys of a question, the newest first. */
struct causal_common {
  unsigned keys;
  uint32_t chain[CAUSAL_THREADS]; /* the shortest is the first */
  uint32_t length[CAUSAL_THREADS];
  uint32_t block;
  uint64_t classes; /* of the block, that were not told yet */
};

struct causal_classes {
  uint32_t count;
  uint64_t trail_used;
  uint64_t start[CAUSAL_CLASSES];
  uint64_t trail[CAUSAL_TRAIL];
  struct causal_index index;
};

/* A stack, so that there is room again for those at its end. Which is run next is told by lists: the most important
 * first, of these the newest, of those of one execution the shortest. */
struct causal_work {
  uint64_t head[REASONS]; /* in the pool, + 1 */
  uint32_t count;
  uint64_t pool_used;
  uint32_t start[CAUSAL_COURSES];
  uint64_t ceiling[CAUSAL_COURSES]; /* of the pool, for this course and those before it */
  uint64_t pool[CAUSAL_POOL];
};

struct causal {
  bool finished, full, hashing;
  bool races;   /* are looked for */
  bool batched; /* only what was given is run (part.h), */
  bool lacks;   /* or nothing is: it was not told what it was taken to know */
  uint64_t epoch;
  uint32_t told,
      handed;    /* classes of others that it was told of this epoch; and of its own, those before were handed in */
  uint64_t lost; /* a set of LOST_* */
  enum aside aside;
  uint64_t runs, questions, steps;
  struct planned planned;
  uint64_t steps_left; /* that may be taken for the questions of this execution */
  uint64_t class_hash;
  struct uncovered uncovered; /* what LOST_CAUSALITY is about */

  /* This execution. */
  uint64_t course; /* in the pool, + 1; 0: none is followed */
  bool strayed;
  uint32_t position;
  unsigned current;
  uint64_t operation, since;
  unsigned threads_before;

  uint32_t marks;
  uint32_t marked[1u << (CAUSAL_MARK_BITS - 1)];      /* which of them */
  uint64_t mark[1u << CAUSAL_MARK_BITS];              /* sets of prefixes that were found, and what was seen where */
  uint64_t prefix_of[CAUSAL_EVENTS + CAUSAL_THREADS]; /* by place in `nth`: the number of the thread's prefix with it */
  struct causal_trace trace;
  struct causal_replay replay;
  struct causal_concern concern;
  struct causal_search search;
  struct causal_work work;
  struct causal_classes classes;
};

void causal_open(struct causal *c, const struct control_config *config);
void causal_forget(struct causal *c);
void causal_start(struct causal *c);
unsigned causal_pick(struct causal *c, const struct choice *choice);
unsigned causal_choose(struct causal *c, unsigned n);
bool causal_end(struct causal *c, const struct outcome *outcome);

/* ---- for the parts of the search ---- */

/* The number of the first n steps of the thread. */
static inline uint64_t causal_prefix(const struct causal *c, unsigned thread, uint32_t n)
{
  return n ? c->prefix_of[c->trace.thread[thread].first + n - 1] : 0;
}
/* The same, but for steps at its end by which executions are not found. */
uint64_t causal_found_by(const struct causal *c, unsigned thread, uint32_t n);
/* And one more step, which has that sign. */
uint64_t causal_prefix_with(uint64_t prefix, uint64_t sign, bool listed);
/* False: it was marked before. */
bool causal_mark(struct causal *c, uint64_t number);
bool causal_is_marked(const struct causal *c, uint64_t number);

/* search.c: where can the step see something else? Courses from the number that it returns on are the answer, but for
 * those that are dropped. */
uint32_t causal_ask(struct causal *c, const struct causal_event *e);
/* concern.c: what has to do with what, until the step comes; NULL: in all of the execution. */
void causal_find_concern(struct causal *c, const struct causal_event *step);
/* Threads that have nothing to do with that one take all their steps. False: they cannot. */
bool causal_take_others(struct causal *c, unsigned thread);
bool causal_concerns(const struct causal *c, unsigned thread, unsigned other);
/* All courses that the execution shows. */
void causal_find_courses(struct causal *c);

/* classes.c */
static inline struct causal_course *causal_course_at(struct causal_work *w, uint64_t p)
{
  return (struct causal_course *)&w->pool[p];
}
/* Its size in the pool. */
static inline uint32_t causal_course_words(unsigned threads, uint32_t steps)
{
  return (uint32_t)((sizeof(struct causal_course) + threads * sizeof(struct causal_begun)) / 8) + steps;
}
/* Its steps, in their order. */
static inline const uint64_t *causal_steps_of(const struct causal_course *course)
{
  return (const uint64_t *)&course->begun[course->threads];
}
void causal_forget_classes(struct causal *c); /* and courses, and marks */
void causal_drop_courses(struct causal *c);
/* class_index.c */
void causal_index_clear(struct causal_index *index);
/* Classes come in the order of their numbers. False: there is no room. */
bool causal_index_add(struct causal_index *index, uint64_t key, uint32_t class);
void causal_common_add(struct causal_common *common, const struct causal_index *index, uint64_t key);
/* With at least one key. UINT32_MAX: there is no other. A class that is told may lack a key that very many have. */
uint32_t causal_common_next(struct causal_common *common, const struct causal_index *index);

/* Steps by whose prefix executions are found. */
bool causal_is_listed(const struct causal_event *e);
void causal_add_class(struct causal *c);
/* A class by itself: its threads, how many steps each has, and the prefixes of each with one step, two … */
uint64_t causal_class_words(const struct causal_classes *k, uint32_t class);
void causal_class_write(const struct causal_classes *k, uint32_t class, uint64_t *out);
bool causal_class_read(struct causal_classes *k, const uint64_t *class); /* false: there is no room */
uint64_t causal_class_hash(const uint64_t *class);
/* False: it is known. */
bool causal_mark_class(struct causal *c, uint64_t hash);
/* Some execution has all of the prefixes, and the last step. */
bool causal_is_subsumed(const struct causal *c, const struct causal_course *course);
/* The state of the replay, and the last step: of that event, with that sign, and a choice (+ 1); NULL: there is none.
 * Dropped if it is within another one from `first` on, which are those of one question; those within it are dropped. */
void causal_add_course(struct causal *c, uint32_t first, const struct causal_event *e, uint64_t sign, unsigned choice,
                       enum causal_reason reason);
/* The state of the replay, in which steps of these two places come next. */
void causal_add_race(struct causal *c, uint32_t first, uintptr_t a, uintptr_t b);
/* Those from there on that were not dropped stay. */
void causal_keep_courses(struct causal *c, uint32_t first);
/* Those from there on are to be run, here or by others. */
void causal_list_courses(struct causal *c, uint32_t first);
/* One that somebody else found. It is to be run; given: when all that come with it are there, the first one first. */
void causal_receive_course(struct causal *c, const struct causal_course *course, bool given);
void causal_list_given(struct causal *c);
/* The next one that is to be run; 0: none. + 1 */
uint64_t causal_next_course(struct causal *c);

/* torn_pairs.c: whether the step, which would see something else now, comes between what may be meant as one. */
bool causal_breaks_atomicity(const struct causal *c, const struct causal_event *e);

/* purpose.c: why the execution was run, if it showed a bug. */
void causal_tell_attempt(const struct causal_trace *t, const struct causal_course *course,
                         const struct outcome *outcome);

#endif
