/* SPDX-License-Identifier: Apache-2.0
 *
 * The snapshot: the program's memory as it was at the start, and the way back to it, in place.
 */
#ifndef HEDDLE_RUNTIME_SNAPSHOT_H
#define HEDDLE_RUNTIME_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef void part_visitor(uintptr_t start, size_t size);

void snapshot_take(void);
void snapshot_restore(void);
bool snapshot_fault(uintptr_t addr);              /* a write fault that is only the tracker's: handled */
void snapshot_touch(uintptr_t addr, size_t size); /* somebody is about to write there without faults */
void snapshot_each_root(part_visitor *visit);     /* memory that can hold pointers */

/* ---- for a process that becomes the copy of another (process/slots.h) ---- */

/* What may have been written since, in this process, but for stacks and the heap. */
void snapshot_each_part(part_visitor *visit);
/* All of that as it was at the start, whoever used it, but for the parts that will be written next. */
void snapshot_renew(bool (*is_known)(uint32_t nth, uintptr_t start));
/* Above it the stack of the initial thread is among the parts. */
uintptr_t snapshot_stack_end(void);
/* The runtime's own variables, and those among them that say what is tracked in this very process. */
void snapshot_variables(uintptr_t *start, uintptr_t *end);
void snapshot_own_variables(uintptr_t *start, uintptr_t *end);

#endif
