/* SPDX-License-Identifier: Apache-2.0
 *
 * A system call of the program, on its way through the filter (filter.c).
 */
#ifndef HEDDLE_RUNTIME_CALL_H
#define HEDDLE_RUNTIME_CALL_H

#include "runtime/runtime.h"

struct call {
  long number;
  long arg[6];
  uintptr_t pc;
};

/* Make it as it is: a result or -errno. */
long perform(const struct call *call);

/* Executions are undone by putting memory back, so what the kernel keeps must be undone by us. */
static inline bool in_place(void)
{
  return rt.control->reset == RESET_SNAPSHOT;
}

/* True, with the result, if the call is about descriptors or about memory mappings; and undoing what was done. */
bool descriptor_call(const struct call *call, long *result);
bool mapping_call(const struct call *call, long *result);
void descriptors_reset(void);
void mappings_reset(void);

#endif
