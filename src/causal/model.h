/* SPDX-License-Identifier: Apache-2.0
 *
 * The maximal causal model of one execution: what any program that did this could also have done.
 *
 * An execution is a sequence of steps for each thread, each with what it saw: the values of the bytes that it read,
 * whether its attempt to lock succeeded, who had to do what is done once. What a thread does next is a function of what
 * its steps saw (local determinism), so a prefix of each thread's steps, in any order in which each step can be taken
 * and sees what it saw, is a beginning of another execution of the same program. Nothing else is kept of the order:
 * writes that nobody reads need none, and neither do two locks whose sections touch different things.
 *
 * Memory is words of eight bytes, of which an access has some; so accesses of different sizes that overlap need no
 * rule of their own. Each primitive is a rule: when its step can be taken, what that sees and what it changes
 * (rules.c). A step without a rule is not covered. What the model says of its own execution is checked (causal_holds):
 * where it is wrong, the program does something that is not modelled, and nothing is concluded.
 *
 * No pointers are kept: all of it may live in memory that outlives the process.
 */
#ifndef HEDDLE_CAUSAL_MODEL_H
#define HEDDLE_CAUSAL_MODEL_H

#include "core/operation.h"
#include "core/uncovered.h"
#include "core/world.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CAUSAL_THREADS 64
#define CAUSAL_EVENTS (1u << 16)
#define CAUSAL_ACCESSES (1u << 18)
#define CAUSAL_WORDS (1u << 14)
#define CAUSAL_OBJECTS (1u << 12)
#define CAUSAL_USERS (1u << 17)
#define CAUSAL_WIDEST 64 /* words of one access */
#define CAUSAL_SLOTS (1u << 16)
#define CAUSAL_SETUPS 256 /* objects that are made or destroyed in the execution */

enum causal_rule {
  RULE_NONE,    /* not covered */
  RULE_NOTHING, /* nobody can tell it from its absence */
  RULE_CHOICE,  /* data: sees what was chosen */
  RULE_MEMORY,  /* sees the bytes it reads, and that they are there */
  RULE_FREE,    /* memory is there no more */
  RULE_CREATE,
  RULE_JOIN,    /* waits for a thread to end */
  RULE_LOCK,    /* of mutexes, spin locks, and read-write locks for writing */
  RULE_TRYLOCK, /* sees whether it got it */
  RULE_UNLOCK,  /* of any lock */
  RULE_SHARE,   /* a read-write lock for reading */
  RULE_TRYSHARE,
  RULE_TAKE, /* a semaphore */
  RULE_TRYTAKE,
  RULE_POST,
  RULE_COUNT,  /* sees how much of it is left */
  RULE_WAIT,   /* on a condition variable: unlocks its mutex */
  RULE_WAKE,   /* waits for a signal and the mutex */
  RULE_SIGNAL, /* to one of those who wait: which is anybody's choice, and the sender does not see it */
  RULE_BROADCAST,
  RULE_ARRIVE, /* at a barrier */
  RULE_LEAVE,
  RULE_ENTER, /* what is done once: sees whether it has to do it, waits while another one does */
  RULE_DONE,
  RULE_SETUP /* makes or destroys an object: ordered with all its uses by creations and joins, or not covered */
};

struct causal_access {
  uint32_t word;
  uint8_t bytes;
  bool reads, writes;  /* neither: it only must not have been freed */
  uint64_t seen, left; /* the whole word, before and after */
};

struct causal_event {
  uint64_t what; /* a number for the step, but for what it saw */
  uint64_t sign; /* and with that */
  uintptr_t pc;
  uint32_t access;
  uint16_t accesses;
  uint16_t thread;
  uint32_t nth;            /* of its thread, from 0 */
  uint32_t object, second; /* + 1; of RULE_CREATE and RULE_JOIN, the other thread */
  uint32_t outcome;        /* of what sees more than memory; of RULE_CHOICE, the value */
  uint16_t outcomes;       /* of RULE_CHOICE: how many there are */
  uint8_t rule;
  uint8_t kind;    /* enum op_kind */
  bool last;       /* the program ends in it */
  uint32_t length; /* of its operation */
};

/* How an object is at a moment. */
struct causal_state {
  uint64_t waiters, signalled; /* conditions and barriers: threads that wait, and those that may go on */
  int32_t owner;               /* of a lock, + 1 */
  int32_t depth;               /* how often, */
  int32_t readers;             /* and how many share it */
  int32_t count;               /* of a semaphore; arrivals at a barrier; of what is done once, how it stands */
};

struct causal_object {
  uint64_t key;
  struct causal_state start;
  uint32_t limit; /* of a barrier, 0: not known */
  uint32_t user;  /* who uses it, + 1 */
  uint16_t setup; /* it is made or destroyed: its number, + 1 */
  bool recursive, checks, tried;
};

struct causal_word {
  uint64_t key, start;
  uint64_t now; /* as far as the execution is recorded, */
  bool gone;    /* or it was freed */
  uint32_t user;
};

/* That a thread uses an object or a word, for the last time in that step (+ 1). */
struct causal_user {
  uint32_t next, last;
  uint16_t thread;
  uint8_t bytes; /* of a word */
};

struct causal_thread {
  uint32_t first, count;    /* of its events in `nth` */
  uint32_t creator, before; /* thread + 1 and its step that created it; 0: it is there from the start */
  bool ended, pending;      /* it had ended; or stood before a step, which is behind its events */
  uint16_t keeper;          /* who joins or detaches it, + 1 */
  uint32_t call;            /* while it is recorded: its event since which all of its events are of one place, */
  uintptr_t place;          /* this one */
};

struct causal_trace {
  uint32_t events, accesses, objects, words, users;
  unsigned threads;
  struct uncovered uncovered; /* a step without a rule, or too much: the first that was met */
  uint32_t epoch, setups;
  struct operation last; /* the step that is taken now, */
  uint64_t met;          /* the state of its object before, */
  bool own;              /* and whether its thread had that */
  struct causal_thread thread[CAUSAL_THREADS];
  struct causal_event event[CAUSAL_EVENTS + CAUSAL_THREADS]; /* in their order; pending ones behind */
  uint32_t nth[CAUSAL_EVENTS + CAUSAL_THREADS];              /* by thread */
  struct causal_access access[CAUSAL_ACCESSES];
  struct causal_object object[CAUSAL_OBJECTS];
  struct causal_word word[CAUSAL_WORDS];
  struct causal_user user[CAUSAL_USERS];
  struct {
    uint64_t key;
    uint32_t epoch, index;
  } slot[CAUSAL_SLOTS];
  struct { /* of an object that is made or destroyed, while that is checked: steps of each thread, + 1 */
    uint32_t use[CAUSAL_THREADS], made[CAUSAL_THREADS];
  } setup[CAUSAL_SETUPS];
  uint32_t clock[CAUSAL_THREADS][CAUSAL_THREADS]; /* steps of others that must come before, likewise */
};

/* ---- valued_trace.c ---- */

void causal_begin(struct causal_trace *t);
/* The rule for an operation, RULE_NONE if there is none. */
enum causal_rule causal_rule_of(const struct operation *op);
/* A number for a step, but for what it sees. */
uint64_t causal_what(const struct operation *op);
/* The thread takes the step now. */
void causal_add(struct causal_trace *t, const struct world *world, unsigned thread, const struct operation *op);
/* The last one was taken. failed: it was a compare-and-swap, and only read. created: a thread that exists since, 0. */
void causal_settle(struct causal_trace *t, const struct world *world, bool failed, unsigned created);
/* A data choice in the last one. */
void causal_chose(struct causal_trace *t, unsigned n, unsigned value);
/* The execution is over; the thread stands before that step. */
void causal_add_pending(struct causal_trace *t, const struct world *world, unsigned thread, const struct operation *op);
/* The model does not cover the step, if nothing else was not covered before; NULL: it is about none. */
void causal_uncover(struct uncovered *u, enum uncovered_reason why, const struct causal_event *e);
/* And all is known. */
void causal_finish(struct causal_trace *t);
/* Whether a step of that rule sees more than memory. */
static inline bool causal_sees_outcome(enum causal_rule rule)
{
  return rule == RULE_CHOICE || rule == RULE_TRYLOCK || rule == RULE_TRYSHARE || rule == RULE_TRYTAKE ||
         rule == RULE_COUNT || rule == RULE_ENTER;
}
/* A number for what a step saw, added to its own. */
uint64_t causal_mix(uint64_t number, uint64_t seen);
/* What of a word these bytes are. */
uint64_t causal_bytes(uint8_t bytes);

static inline const struct causal_event *causal_event_of(const struct causal_trace *t, unsigned thread, uint32_t nth)
{
  return &t->event[t->nth[t->thread[thread].first + nth]];
}

/* ---- rules.c ---- */

enum causal_verdict {
  STEP_READY,   /* it can be taken, and sees what it saw */
  STEP_DIFFERS, /* it can be taken, and sees something else */
  STEP_BLOCKED
};

struct causal_undo {
  uint32_t index; /* of a word; or of an object, + CAUSAL_WORDS */
  uint8_t freed;
  uint64_t value;
  struct causal_state state;
};

struct causal_taken {
  uint16_t thread;
  uint16_t choice; /* + 1; 0: none is made */
};

#define CAUSAL_UNDOS (1u << 19)

/* A beginning of another execution. */
struct causal_replay {
  const struct causal_trace *trace; /* during a call */
  uint64_t number;                  /* for the state: the same if it is the same */
  uint32_t at[CAUSAL_THREADS];
  uint64_t value[CAUSAL_WORDS];
  uint8_t freed[CAUSAL_WORDS];
  struct causal_state state[CAUSAL_OBJECTS];
  uint32_t taken_count, undos;
  uint64_t steps; /* ever taken */
  struct causal_taken taken[CAUSAL_EVENTS];
  uint32_t undone_to[CAUSAL_EVENTS];
  struct causal_undo undo[CAUSAL_UNDOS];
};

void causal_replay_begin(struct causal_replay *r, const struct causal_trace *t);
/* The thread's next step, NULL: it has none, or does not exist yet. */
const struct causal_event *causal_next(const struct causal_replay *r, unsigned thread);
enum causal_verdict causal_judge(const struct causal_replay *r, const struct causal_event *e);
/* The number of the step with what it would see. */
uint64_t causal_sign_now(const struct causal_replay *r, const struct causal_event *e);
/* Among how many a signal can choose; 0: there is no choice. */
unsigned causal_choices(const struct causal_replay *r, const struct causal_event *e);
/* choice: + 1, 0 for none. */
void causal_take(struct causal_replay *r, const struct causal_event *e, unsigned choice);
void causal_take_back(struct causal_replay *r);
/* Whether to take it at once does no harm to anybody, nor is of more use later. */
bool causal_is_harmless(const struct causal_replay *r, const struct causal_event *e);
/* The model explains the execution it was made from. If not, how far it does is where the replay stands. */
bool causal_holds(struct causal_replay *r, const struct causal_trace *t);

#endif
