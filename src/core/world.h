/* SPDX-License-Identifier: Apache-2.0
 *
 * Worlds: what is under test.
 *
 * A world can be put back to its start, knows whether a task's pending operation can be performed now, and performs
 * it. It knows nothing of search. The engine drives it (engine_run); while a task goes on, it announces the operations
 * that it comes to (engine_announce). Tasks that have stacks of their own need not come back to the engine's loop in
 * between: they ask for the next turn themselves (engine_turn) and go on from one to the other.
 */
#ifndef HEDDLE_CORE_WORLD_H
#define HEDDLE_CORE_WORLD_H

#include "core/bug.h"
#include "core/naming.h"
#include "core/object_model.h"
#include "core/operation.h"
#include "core/vclock.h"
#include <stdbool.h>

/* What is known of an address beside its value. */
struct whereabouts {
  uintptr_t block_pc;    /* heap memory: where the block was allocated, 0 for other memory */
  uintptr_t freed_pc;    /* where it was freed, 0 if it was not */
  uint64_t block_offset; /* into the block */
  uint64_t block_size;
  uintptr_t block_calls[BLOCK_CALLS]; /* return addresses of the calls in which it was allocated, innermost first */
  uintptr_t local_pc;   /* memory on a stack: a place in the function whose variable it is, 0 if unknown */
  int64_t local_offset; /* and where it lies from that function's canonical frame address */
  char name[24];        /* of an object of the system, cut; empty for what has none */
  uint8_t space;        /* in which the address means that: enum space, footprint.h */
  bool mapped;          /* the block is none of the heap's, but was mapped */
};

/* What a task does to channels, for a person. */
#define CHANNEL_WORDS 96
#define CHANNEL_STATE 160
struct channel_view {
  uintptr_t made_at;         /* 0: not known */
  bool named;                /* by the program: it is known by that, not by where it was made */
  uint32_t stream;           /* what is sent there or received from there, by number; 0: nothing is */
  uint64_t position;         /* of its first byte, of all that were ever sent there */
  char what[CHANNEL_WORDS];  /* descriptor 3, the read end of the pipe */
  char brief[CHANNEL_WORDS]; /* pipe; socket at /tmp/a */
  char state[CHANNEL_STATE]; /* why it is not ready; empty: nothing to say */
};

struct property_reading; /* property_instances.h */

struct world {
  void *self; /* first argument of all that follow */

  /* Back to the start. Task 0 has announced nothing yet. */
  void (*begin)(void *self);
  /* The task performs its pending operation, if it has one, and goes on to its next announcement or to its end. Returns
   * there, or when the execution is over. */
  void (*go_on)(void *self, unsigned task);
  /* The execution ends where the current task stands. Does not return if tasks have stacks; NULL if none has. */
  void (*leave)(void *self);
  /* Whether the operation, which is of a kind that can block, can be performed by the task now. No side effects. */
  bool (*enabled)(void *self, unsigned task, const struct operation *op);

  /* The rules of a kind of objects, NULL for none. */
  const struct object_model *(*model)(void *self, enum object_kind kind);

  /* Whether accesses of that memory stand for more than its bytes: who looks at values learns nothing there. May be
   * NULL: never. */
  bool (*stands_in)(void *self, uintptr_t addr);

  /* ---- names that hold in other processes ---- */

  /* A name for an address, of code or of data, that means the same in every process of the program; and back. What
   * overlaps or is the same does so by name. Names are as short as addresses: below 2^56. */
  uint64_t (*name)(void *self, uintptr_t addr);
  uintptr_t (*address)(void *self, uint64_t name);
  /* A number for a place in the code that holds from run to run, and back. */
  uint64_t (*place)(void *self, uintptr_t pc);
  uintptr_t (*at_place)(void *self, uint64_t place);
  /* How the task and the object came to be (naming.h). Only for strategies and observers that ask for names. */
  const struct origin *(*task_origin)(void *self, unsigned task);
  const struct origin *(*object_origin)(void *self, uint32_t object);

  /* ---- states ---- */

  /* The state of one of the objects the operation acts on, named by its key (key.h): how much of a lock or a
   * semaphore is left (WORLD_ALL: nobody holds the read-write lock), the round of a barrier, who waits on a condition
   * variable (WORLD_WAITERS: how many of them a signal could wake), eight bytes of memory. */
  uint64_t (*state)(void *self, const struct operation *op, uint64_t key);
  /* Whether the blocked operation was released by another task: signalled, woken. */
  bool (*released)(void *self, unsigned task, const struct operation *op);
  /* A number for all that only the task itself can change, at its last announcement: two equal ones mean that it
   * stands where it stood, be it in another execution. 0: not known. */
  uint64_t (*local)(void *self, unsigned task);
  /* Whether state() of the key is its state, not just a number that always changes. NULL: it is. */
  bool (*is_known)(void *self, uint64_t key);
  /* local() is wanted from now on, or no longer. */
  void (*attend)(void *self, bool wanted);
  /* Whether time changes nothing: no timer is set. */
  bool (*timeless)(void *self);
  /* The timer that is set for the earliest time may expire now, whoever else can go on; false: there is none. */
  bool (*hasten_timer)(void *self);
  bool (*ended)(void *self, unsigned task);
  /* Whether nothing but their numbers tells the two tasks apart: the same one created them, in the same way, to do the
   * same with the same argument. NULL: that is not known. */
  bool (*twins)(void *self, unsigned elder, unsigned task);
  /* Whether something does after all: the task asked who it is, or was asked for its result, or the value, which it
   * has written, is the address of something of its own. */
  bool (*told_apart)(void *self, unsigned task, uint64_t value);
  /* Whether it is no thread of the program's, but of the system: the clock. */
  bool (*is_system)(void *self, unsigned task);
  /* Whether the task, about to do this, stands there and waits for others, if only until its time is over. Sleeping is
   * no such thing. */
  bool (*stands)(void *self, unsigned task, const struct operation *op);
  /* The event of the ordering in use that the operation is (ordering.h), from 1; 0: none. */
  unsigned (*event)(void *self, unsigned task, const struct operation *op);
  /* Whether orderings call the task so. */
  bool (*is_called)(void *self, unsigned task, const char *name);

  /* The events of enforced properties that the operation is (OP_PROPERTY), which happen at once, at most
   * PROPERTIES_AT_ONCE; how many. 0: it is another process's. NULL: each is one, which the operation says. */
  unsigned (*readings)(void *self, unsigned task, struct property_reading *out);

  /* ---- for observers ---- */

  bool (*object)(void *self, uint32_t id, struct object_view *out);
  /* What the task knows of the others' past. */
  const struct vclock *(*clock)(void *self, unsigned task);
  /* The number of the shared memory that the eight bytes around the address belong to, below WORLD_LOCATIONS; 0: only
   * one task uses it. The last number is shared by all for which there was none left. */
  uint32_t (*location)(void *self, uintptr_t addr);
  /* Whether the program says that this access is no race, whatever it meets. */
  bool (*excused)(void *self, unsigned task, const struct operation *op);
  /* The function whose state between its calls is there, NULL if it is the program's own memory. */
  const char *(*state_of_calls)(void *self, uintptr_t addr);
  /* What is there in the memory of the task. Of tasks in other processes only what their pending operation is on is
   * known, and that in traced executions. */
  void (*locate)(void *self, unsigned task, uintptr_t addr, struct whereabouts *out);
  /* The signal in whose handler the task is, 0 for none. May be NULL. */
  int (*handling)(void *self, unsigned task);
  /* What the task is about to do on channels; NULL if there are none. */
  void (*channel)(void *self, unsigned task, struct channel_view *out);
  /* Return addresses, innermost first; how many. Only where the calls of tasks are kept. */
  unsigned (*stack)(void *self, unsigned task, uintptr_t *out, unsigned most);
  /* The name of the file that the system call is on in which the task stands, NULL or empty for none. May be NULL. */
  const char *(*call_subject)(void *self, unsigned task);
  /* A number for the calls that led the task where it is; and one that tells this very call from others like it. */
  uint64_t (*calls)(void *self, unsigned task);
  uint64_t (*activation)(void *self, unsigned task);
  /* The value there in the memory of the task, if there is one: length at most 8. */
  bool (*peek)(void *self, unsigned task, uintptr_t addr, uint32_t length, uint64_t *value);
  /* Whether memory is surely there. */
  bool (*is_there)(void *self, uintptr_t addr);
  /* Let a little of the real time pass. */
  void (*rest)(void *self);
};

#define WORLD_ALL (UINT64_C(1) << 32)
#define WORLD_WAITERS UINT64_C(0xffff)
#define ONCE_IS_DONE 2 /* state of what is done once */
#define WORLD_LOCATIONS (1u << 20)

#endif
