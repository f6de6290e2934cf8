/* SPDX-License-Identifier: Apache-2.0
 *
 * Bugs: the list of kinds, and the record of one as the tested process leaves it.
 *
 * The record is plain data without pointers into either process; addresses in it belong to the tested program and are
 * given names by the command line (debuginfo/symbols.c). Records with the same key are the same
 * bug. */
#ifndef HEDDLE_CORE_BUG_H
#define HEDDLE_CORE_BUG_H

#include <stdbool.h>
#include <stdint.h>

/*  X(constant, name in JSON) */
#define HD_BUG_KINDS(X)                                                                                                \
  X(ASSERTION, "assertion")                                                                                            \
  X(CRASH, "crash")                                                                                                    \
  X(DEADLOCK, "deadlock")                                                                                              \
  X(RACE, "race")                                                                                                      \
  X(MEMORY, "memory")                                                                                                  \
  X(LEAK, "leak")                                                                                                      \
  X(HANG, "hang")                                                                                                      \
  X(EXIT, "exit")                                                                                                      \
  X(PROPERTY, "property")                                                                                              \
  X(SCHEDULE, "schedule")

enum bug_kind {
#define X(id, name) BUG_##id,
  HD_BUG_KINDS(X)
#undef X
      BUG_KIND_COUNT
};

extern const char *const bug_kind_name[BUG_KIND_COUNT];

/* The kind of that name, or BUG_KIND_COUNT. */
enum bug_kind bug_kind_by_name(const char *name);

#define BUG_STACK 12  /* return addresses kept per party */
#define BUG_PARTIES 8 /* threads told of in one report */
#define BLOCK_CALLS 6 /* return addresses kept of an allocation */

/* A thread's part in a bug: one side of a race, one waiter of a deadlock, the thread that crashed. */
struct bug_party {
  uint32_t thread;       /* index into control.threads */
  uint16_t op;           /* enum op_kind: what it did or waits to do */
  uint16_t depth;        /* used entries of stack */
  uint32_t length;       /* bytes, for memory operations */
  int32_t holder;        /* thread that holds what this one waits for, -1 for none */
  uintptr_t addr;        /* the object or memory; memory with its space (key.h) */
  uintptr_t pc;          /* where */
  uintptr_t holder_pc;   /* where the holder took it, 0 if unknown */
  uintptr_t block_pc;    /* heap memory: where the block was allocated, 0 for other memory */
  uintptr_t freed_pc;    /* heap memory: where it was freed, 0 if it was not */
  uint64_t block_offset; /* offset of addr into its block */
  uint64_t block_size;
  uintptr_t block_calls[BLOCK_CALLS]; /* heap memory: the calls in which it was allocated; only from a traced replay */
  uintptr_t local_pc;         /* memory on a stack: a place in the function whose variable it is, 0 if unknown */
  int64_t local_offset;       /* and where it lies from that function's canonical frame address */
  uintptr_t stack[BUG_STACK]; /* return addresses, innermost first; only from a traced replay */
  char name[24];              /* of an object of the system, or the file of a wait, cut; empty for what has none */
  uint64_t signals;           /* that it waits for, as a set */
  bool left_behind;           /* the holder is not in the process of the lock, which a fork copied */
  bool mapped;                /* its block is none of the heap's, but was mapped */
  char what[96], state[160];  /* channels: in words (world.h); block_pc is where it was made, 0 if it has a name */
};

#define SCHEDULE_NONE UINT64_MAX          /* there was no room for it */
#define SCHEDULE_PENDING (UINT64_MAX - 1) /* known when the execution is over */

/* Who saw a data race; a set of these. */
enum { RACE_BY_CLOCKS = 1, RACE_BY_PENDING = 2 };
/* As the detail of a race: of calls of a function that keeps a state, whose name is the text; of a use of a variable
 * (the second party) and its end, as the text says. */
enum { RACE_OF_CALLS = 1, RACE_OF_END };

/* As the detail of a property: one that a specification says (core/property.h), and not a rule of POSIX; one that is
 * kept by holding threads back, and nobody can go on. */
enum { PROPERTY_SPECIFIED = 1, PROPERTY_HOLDS_BACK };

/* How the threads of a deadlock wait: its detail.  X(constant, as a sentence) */
#define HD_DEADLOCKS(X)                                                                                                \
  X(CYCLE, "threads wait for each other in a cycle")                                                                   \
  X(SELF, "a thread waits for itself")                                                                                 \
  X(WAKE_UP, "a thread waits on a condition variable that nobody will signal any more")                                \
  X(SEMAPHORE, "a thread waits for a semaphore that nobody will post any more")                                        \
  X(BARRIER, "threads wait at a barrier that not enough others will reach")                                            \
  X(FUTEX, "a thread sleeps on a futex that nobody will wake any more")                                                \
  X(ABANDONED, "a thread waits for a lock whose holder has ended, or was left behind by fork()")                       \
  X(STOPPED, "a process is stopped, and nobody lets it go on")                                                         \
  X(SIGNAL, "a thread waits for a signal that nobody will send any more")                                              \
  X(DESCRIPTOR, "a thread waits for a descriptor that will never be ready")                                            \
  X(QUEUE, "a thread waits for a message, or for room for one, that will never come")                                  \
  X(OTHER, "no thread can go on")

enum deadlock_kind {
#define X(id, sentence) DEADLOCK_##id,
  HD_DEADLOCKS(X)
#undef X
      DEADLOCK_KIND_COUNT
};

extern const char *const deadlock_sentence[DEADLOCK_KIND_COUNT];

struct bug {
  uint32_t kind;      /* enum bug_kind */
  uint32_t parties;   /* used entries of party */
  uint32_t detectors; /* data races: RACE_BY_* of all executions so far */
  uint64_t key;       /* equal for the same bug, whatever the execution */
  uint64_t execution; /* number of the first execution that showed it */
  uint64_t schedule;  /* offset of its schedule in the pool (control.h), or one of SCHEDULE_* */
  uint64_t step;      /* number of the step it showed at */
  int64_t detail;     /* exit status, signal number, leaked bytes, RACE_OF_CALLS, enum deadlock_kind; 1: a livelock;
                         PROPERTY_SPECIFIED and the like */
  uint32_t constant;  /* an exit status that every execution so far ended with: no matter of schedules */
  char text[320];     /* what the program or the runtime said, without addresses, complete as a sentence */
  char where[192];    /* "file.c:12" when the program itself named the place (assert), else empty */
  struct bug_party party[BUG_PARTIES];
};

/* Whether it ends the execution that shows it, and so a search that stops at the first bug; what does not is told
 * beside what else is found. races, leaks: enum race_mode (config.h). */
bool bug_ends_execution(const struct bug *bug, uint32_t races, uint32_t leaks);

#endif
