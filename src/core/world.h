/* SPDX-License-Identifier: Apache-2.0
 *
 * Worlds: what is under test.
 *
 * A world can be put back to its start, knows whether a thread's pending operation can be performed now, and performs
 * it. It knows nothing of search. The world of threads (runtime/) is driven from inside: its fibers call
 * engine_announce() and engine_next() themselves and switch to the thread chosen; performing the operation is the
 * fiber going on.
 */
#ifndef HEDDLE_CORE_WORLD_H
#define HEDDLE_CORE_WORLD_H

#include "core/operation.h"
#include <stdbool.h>

struct world {
  /* Whether the operation, which is of a kind that can block, can be performed by the thread now. No side effects. */
  bool (*enabled)(unsigned thread, const struct operation *op);

  /* A number for the calls that led the thread where it is. Only for strategies that ask for it. */
  uint64_t (*calls)(unsigned thread);

  /* Names that hold from run to run (naming.h), and a number for a place that does. Only for strategies that ask. */
  uint64_t (*thread_name)(unsigned thread);
  uint64_t (*object_name)(const struct operation *op);
  uint64_t (*place)(uintptr_t pc);

  /* The rest is for exhaustive search, but for state(). */

  /* The state of one of the objects the operation acts on, named as in explore/order.h: how much of a lock or a
   * semaphore is left (WORLD_ALL: nobody holds the read-write lock), the round of a barrier, eight bytes of memory. */
  uint64_t (*state)(const struct operation *op, uint64_t key);
  /* Whether the blocked operation was released by another thread: signalled, woken. */
  bool (*released)(unsigned thread, const struct operation *op);
  /* A name for an address, of code or of data, that means the same in every process of the program; and back. What
   * overlaps or is the same does so by name. Names are as short as addresses: below 2^56. */
  uint64_t (*name)(uintptr_t addr);
  uintptr_t (*address)(uint64_t name);
  /* A number for all that only the thread itself can change, at its last announcement: two equal ones mean that it
   * stands where it stood. */
  uint64_t (*local)(unsigned thread);
};

#define WORLD_ALL (UINT64_C(1) << 32)

#endif
