/* SPDX-License-Identifier: Apache-2.0
 *
 * Parts of an ordinary program that is minimised: the threads that main starts, numbered in the order in which it does,
 * and their calls of the functions that the user names (struct watched_call), numbered from 1 in each thread; call 0 is
 * that the thread runs at all. A call that another such call makes is a part of that one. The world keeps a list of
 * those that are made (worlds/threads/framework/program_parts.c); it is an answer (job.h). Plain memory, no pointers.
 */
#ifndef HEDDLE_CORE_PARTS_H
#define HEDDLE_CORE_PARTS_H

#include "core/subset.h"

#define PART_THREAD 0u /* instead of a call */
#define PART_ARGUMENTS 6u
#define MADE_CALLS (1u << 18)

struct made_call {
  uint16_t thread, call;
  uint16_t function; /* number of the watched call */
  bool stays;        /* it cannot be left out: somebody uses what it gives */
  uint8_t own;       /* arguments that lead to the stack of its own thread, a bit for each */
  bool locks;        /* it takes or gives up a lock that its caller goes on with */
  uint64_t pc;       /* return address */
  uint64_t argument[PART_ARGUMENTS];
};

struct test_thread {
  uint32_t index; /* of the execution's threads */
  uint32_t calls; /* also those that were left out */
  uint64_t pc;    /* that created it */
  bool asked;     /* somebody asked for its result, so it must have one */
};

struct made_calls {
  uint32_t threads;
  uint32_t missing; /* threads or calls that were too many to be written down */
  uint32_t count;
  struct test_thread thread[SUBSET_THREADS];
  struct made_call call[MADE_CALLS]; /* in the order in which they began */
};

#endif
