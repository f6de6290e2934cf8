/* SPDX-License-Identifier: Apache-2.0
 *
 * What in a recorded run comes before what, and which other orders of the same operations are executions, too. Shared
 * by the analyses of races and of atomicity.
 *
 * Three relations are kept as vector clocks (shared_clock.h):
 *
 * - happens-before, as C and POSIX define it: program order, creation and joining of threads, unlocking before the next
 *   locking, posting before waiting, arrivals before leaving a barrier, the end of a once routine, the signal that woke
 *   a wait, atomic writes that release before the reads that acquire from them, with fences and release sequences.
 * - data: what an operation rests on. Program order, creation and joining, every read after the write it read from,
 *   atomic or not and whatever its memory order, and what is said below of objects. Locks give no order here.
 * - must: happens-before without the order that locks gave, atomics whatever their order. Not a proof of anything: what
 *   it does not order may still have no other execution.
 *
 * Which orders are executions: let an ideal be a set of operations that is closed under data and in which, of any two
 * sections of one lock that have both been entered, the one that was first in the run has been left (two readers of a
 * read-write lock excepted). Performed in the order of the run, an ideal is an execution: every read finds the write it
 * found, every lock is free when it is taken. Whoever is next in its thread can go on from there. So two accesses that
 * both come next after one ideal can meet. (This is the sync-preserving reordering of Mathur, Pavlogiannis and
 * Viswanathan, "Optimal Prediction of Synchronization-Preserving Races", POPL 2021.) Other objects are made part of
 * data so that in the order of the run every operation of an ideal has the outcome it had:
 *
 * - a semaphore is waited for after all posts before it (that fewer others waited does no harm); to look at it, or to
 *   fail to take it, after all operations on it;
 * - a barrier is left after all arrivals of its round; one arrives after all earlier rounds;
 * - a condition wait wakes after the signal that woke it, or after all signals if that is not known; a signal may wake
 *   any of those who wait, so what else it did is of no importance; a timeout may come at any time;
 * - to fail to take a lock comes after the taking by which it was held;
 * - once routines, futexes, signals, cancellation and descriptors: everything in the order of the run; and what a
 * thread does after it was sent a signal or was cancelled comes after that;
 * - everything after the initialisation of its object, and its destruction after everything.
 *
 * Memory is that of the run: an address means the same in another order. Allocation is not an operation here; who would
 * get another address for the same block is taken to get the same. Programs that use what is not recorded (system
 * calls, inline assembly, shared mappings) are beyond the proof.
 *
 * What is bounded: sections of a lock, SECTIONS_KEPT of each thread. Older ones are taken to be left as late as the
 * oldest that is remembered; an ideal becomes larger by that, so it loses meetings and invents none. Memory grows with
 * threads, objects, bytes and distinct contexts; not with events.
 */
#ifndef HEDDLE_PREDICT_RUN_ORDER_H
#define HEDDLE_PREDICT_RUN_ORDER_H

#include "predict/order/granule_map.h"
#include "predict/prediction.h"
#include "predict/trace/grow_array.h"
#include "predict/trace/intern.h"

enum relation { ORDER_HAPPENS_BEFORE, ORDER_DATA, ORDER_MUST, RELATIONS };

#define SECTIONS_KEPT 16

struct run_held_lock {
  uint32_t object, site, depth;
  uint32_t taken; /* time */
  bool reads;
};

struct run_order_thread {
  uint32_t time;                         /* its operations so far, from 1; the one under way counts */
  struct shared_clock *knows[RELATIONS]; /* of other threads */
  struct stamp acquirable;               /* read by relaxed atomics, for the next fence */
  struct stamp released;                 /* by the last fence */
  struct run_held_lock *held;
  uint32_t held_count, held_room;
  uint32_t lockset;
  uint32_t epoch;    /* grows when its next operations rest on more than its former ones */
  uint32_t unit;     /* grows when it synchronises by other means than locks */
  uint32_t approach; /* time of the first of the acquisitions that led here with nothing else between; 0 for none */
  struct shared_clock *before; /* what it knew of data before these */
  uint32_t round;              /* of the barrier it arrived at last */
};

struct lock_section {
  uint32_t taken; /* time */
  bool reads, left;
  uint64_t number;
  struct stamp leaving;
};

/* The sections of a lock by one thread, the latest ones. */
struct holder {
  uint32_t count, oldest; /* a ring */
  uint32_t first;         /* time of the very first one */
  bool forgot;
  uint64_t forgotten_write; /* number of the last one forgotten that excludes readers */
  struct lock_section section[SECTIONS_KEPT];
};

struct run_order_object {
  struct stamp opened;             /* data: initialised */
  struct stamp all;                /* data: every operation on it */
  struct stamp given[RELATIONS];   /* posts, signals, arrivals, ends of once */
  struct stamp earlier[RELATIONS]; /* arrivals of earlier rounds */
  struct stamp latest[RELATIONS];  /* the latest signal */
  uint64_t latest_number;
  struct stamp unlocked, unlocked_reading; /* happens-before */
  struct stamp taken;                      /* data: by whom it is held */
  uint32_t round;
  bool leaving; /* the first one left its round */
  uint32_t owner;
  struct holder **holder; /* by thread */
  uint32_t holder_room;
  bool contended; /* it is in the list of locks that several threads take */
};

struct run_order {
  struct run_order_thread *thread; /* by number, as in the trace */
  uint32_t thread_room;
  struct run_order_object *object;
  uint32_t object_room;
  struct stamp far[RELATIONS];
  struct granule_map granules;
  struct intern locksets; /* outer lockset, object, site, reads */
  struct intern spots;    /* thread, operation, site */
  uint32_t *occurrences;  /* by spot */
  uint32_t occurrences_room;
  struct intern places; /* thread, site, stack, operation, lockset */
  uint32_t *contended;
  uint32_t contended_count, contended_room;
  uint32_t *ideal; /* by thread: how many of its operations */
  uint32_t ideal_room;
  bool ideal_grew;
  bool failed; /* no memory */
};

/* What analyses keep of an access. */
struct kept_access {
  uint32_t place;
  uint32_t time, epoch, occurrence;
  uint64_t number;
  struct shared_clock *before; /* what its thread knew of data before it */
};

enum { PLACE_THREAD, PLACE_SITE, PLACE_STACK, PLACE_OP, PLACE_LOCKSET, PLACE_WIDTH };
enum { LOCKSET_OUTER, LOCKSET_OBJECT, LOCKSET_SITE, LOCKSET_READS, LOCKSET_WIDTH };

/* The words of a number; they move when the table grows. */
static inline const uint32_t *interned(const struct intern *t, uint32_t number)
{
  return t->words + t->entry[number].start;
}

void run_order_open(struct run_order *o, void (*drop_notes)(void *notes));
void run_order_close(struct run_order *o);

/* Every event is told twice: before the analysis looks at it, and after. enter returns the thread as it is before the
 * operation, NULL if the event is none (the operation was not performed, or there is no memory). */
struct run_order_thread *run_order_enter(struct run_order *o, const struct event *e);
void run_order_leave(struct run_order *o, const struct trace *tables, const struct event *e);

/* The access that is under way; its clock must be shared by who keeps it. */
struct kept_access run_order_access(struct run_order *o, const struct run_order_thread *t, const struct event *e);

/* Whether the two held a lock in common; with a set of locks that one of them held for a time, too. */
bool run_order_common_lock(const struct run_order *o, uint32_t lockset, uint32_t other);

bool run_order_has_lock(const struct run_order *o, uint32_t lockset, uint32_t object);

/* Whether the thread knows of that time of another one. */
static inline bool run_order_knows(const struct run_order_thread *t, enum relation relation, uint32_t other,
                                   uint32_t time)
{
  return shared_clock_get(t->knows[relation], other) >= time;
}

/* Ideals: begin, add points of threads with what they rest on, close. Closing says whether it got closed without the
 * operation to avoid becoming part of it. */
void ideal_begin(struct run_order *o);
void ideal_add(struct run_order *o, const struct shared_clock *clock, uint32_t thread, uint32_t time);
bool ideal_close(struct run_order *o, uint32_t avoid, uint32_t time);
/* Whether nobody is inside a section of the lock after the ideal. */
bool ideal_leaves_free(const struct run_order *o, uint32_t object);

/* Whether the earlier access and what the thread does next can meet. */
bool run_order_may_meet(struct run_order *o, const struct kept_access *earlier, const struct run_order_thread *t,
                        uint32_t me);

/* A party of a prediction. */
struct prediction_party run_order_party(const struct run_order *o, const struct kept_access *a, uint64_t addr,
                                        uint32_t length);

/* The kind of access: a read-modify-write that did not write is a load. */
static inline enum op_kind access_kind(const struct event *e)
{
  return e->op == OP_ATOMIC_RMW && e->flags & EVENT_FAILED ? OP_ATOMIC_LOAD : (enum op_kind)e->op;
}

/* Internal to order: locks and their sections (lock_sections.c). */
void lock_taken(struct run_order *o, uint32_t me, uint32_t object, bool reads, const struct event *e);
void lock_left(struct run_order *o, uint32_t me, uint32_t object);
void lock_free(struct run_order_object *l);

/* What the thread stands for at this moment. */
static inline struct stamp stamp_of(const struct run_order *o, uint32_t me, enum relation relation)
{
  return (struct stamp){o->thread[me].knows[relation], me, o->thread[me].time};
}

#endif
