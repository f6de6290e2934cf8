/* SPDX-License-Identifier: Apache-2.0
 *
 * What each system call reads, changes and writes to memory; see call_rules.c.
 */
#ifndef HEDDLE_RUNTIME_CALL_RULES_H
#define HEDDLE_RUNTIME_CALL_RULES_H

#include "worlds/threads/system/call.h"

/* Memory the kernel reads or writes: at the pointer in argument `at`, if it is one. PAGES: some that the
 * kernel keeps. REQUEST: depends on what is asked for. */
enum memory_size {
  MEMORY_NONE,
  MEMORY_BYTES,
  MEMORY_SIZED,
  MEMORY_COUNTED,
  MEMORY_VECTOR,
  MEMORY_MESSAGE,
  MEMORY_MESSAGES,
  MEMORY_SOCKET,
  MEMORY_PAGES,
  MEMORY_REQUEST
};
struct call_memory {
  uint8_t at;
  uint8_t how;   /* enum memory_size */
  uint8_t by;    /* argument with the size, the count, or the pointer to the length */
  uint16_t unit; /* bytes: of all, or of one */
  bool read;     /* by the kernel, not written */
};

#define MEMORIES 3
struct call_rule {
  short number;
  bool looks;              /* it changes nothing in the system: of no harm to later executions */
  uint32_t reads, changes; /* SYSTEM_* */
  struct call_memory memory[MEMORIES];
};

/* NULL: nothing is known of it. */
const struct call_rule *call_rule(long number);

/* A step, if the call meets those of others in the system. */
void step_to_call(struct call *call);
/* The same for what is known to read and change that (SYSTEM_*). */
void step_on_system(long number, uint64_t reads, uint64_t changes, uintptr_t pc);
/* The same for what may matter to any other step. */
void step_on_everything(long number, uintptr_t pc);
/* For what a signal does. A thread that has one pending takes it at its next step, whatever that is. */
void step_on_action(bool changes, uintptr_t pc);

#endif
