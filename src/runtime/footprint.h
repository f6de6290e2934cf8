/* SPDX-License-Identifier: Apache-2.0
 *
 * What each system call reads, changes and writes to memory; see footprint.c.
 */
#ifndef HEDDLE_RUNTIME_FOOTPRINT_H
#define HEDDLE_RUNTIME_FOOTPRINT_H

#include "runtime/call.h"

/* Where the kernel writes to memory: at the pointer in argument `at`, if it is one. */
enum output_size { OUT_NONE, OUT_BYTES, OUT_SIZED, OUT_COUNTED, OUT_VECTOR, OUT_MESSAGE, OUT_MESSAGES, OUT_SOCKET };
struct call_output {
  uint8_t at;
  uint8_t how;  /* enum output_size */
  uint8_t by;   /* argument with the size, the count, or the pointer to the length */
  uint16_t unit; /* bytes: of all, or of one */
};

#define OUTPUTS 3
struct call_rule {
  short number;
  bool looks; /* it changes nothing in the system: of no harm to later executions */
  uint32_t reads, changes; /* SYSTEM_* */
  struct call_output output[OUTPUTS];
};

/* NULL: nothing is known of it. */
const struct call_rule *call_rule(long number);

/* The kernel is about to write to memory for it: make those pages writable that are only protected to see them change. */
void touch_outputs(const struct call *call, const struct call_rule *rule);

/* A step, if the call meets those of others in the system. */
void step_to_call(struct call *call);
/* The same for what is known to read and change that (SYSTEM_*). */
void step_on_system(long number, uint32_t reads, uint32_t changes, uintptr_t pc);

#endif
