/* SPDX-License-Identifier: Apache-2.0
 *
 * A system call of the program, on its way through the filter (filter.c).
 */
#ifndef HEDDLE_RUNTIME_CALL_H
#define HEDDLE_RUNTIME_CALL_H

#include "worlds/threads/runtime.h"

struct call {
  long number;
  long arg[6];
  uintptr_t pc;
  bool direct; /* the program called one of our functions for it, at pc */
};

/* Make it as it is: a result or -errno. */
long perform(const struct call *call);

/* Counts the changes of what descriptors may be ready for: by calls that were performed, and by what stands for the
 * kernel here, signals and timers. */
uint64_t kernel_state(void);
void kernel_state_changed(void);

/* Executions are undone by putting memory back, so what the kernel keeps of the process must be undone by us. All
 * processes but the one of the loop end with the execution. */
static inline bool in_place(void)
{
  return rt.control->reset == RESET_SNAPSHOT && !hd_own.seat;
}

static inline bool listed(long number, const short *list, size_t n)
{
  for (size_t i = 0; i < n; i++)
    if (list[i] == number)
      return true;
  return false;
}
#define LISTED(number, list) listed(number, list, sizeof(list) / sizeof *(list))

/* What makes such a call: a result or -errno, or UNKNOWN if it is for others to make. */
#define UNKNOWN INT64_MIN
typedef long call_maker(const struct call *);
/* Of a table by number; NULL: none. */
#define CALL_IN(number, table) ((unsigned long)(number) < sizeof(table) / sizeof *(table) ? (table)[number] : NULL)

/* What the program does now, executions of other workers would see: until this one is over, they wait. */
void be_alone(void);

/* Of the program, made through syscall(): a result or -errno. */
long system_call(long number, const long *arg, uintptr_t pc);

/* The same by libc's function for it, which is where threads notice that they are cancelled. */
long function_call(long number, const long *arg, uintptr_t pc);

/* Whether the thread can perform an operation on descriptors (descriptor_waits.c). */
bool fd_ready(unsigned thread, const struct operation *op);

/* What the program takes for its process id; threads count on from it. */
static inline bool is_virtual(long id)
{
  return id >= VIRTUAL_PID && id < VIRTUAL_PID + MAX_THREADS;
}

/* True, with the result, if the call is about descriptors or about memory mappings; and undoing what was done. */
bool descriptor_call(const struct call *call, long *result);
bool mapping_call(const struct call *call, long *result);
void descriptors_boot(void); /* before executions: the process may have others than when it last was asked */
void descriptors_reset(void);
void mappings_reset(void);
/* The mapping of this execution that the address is in, and where it was made, if that was asked for (rt.tracing). */
bool mapping_find(uintptr_t addr, struct block_info *out);
/* What is mapped, for a process that is to be the copy of another, and for itself before that. Only if nothing but
 * shared anonymous memory was (system/effects.h); false: too much. */
#define MAPPED_MOST 16
struct shared_mappings {
  uint32_t count;
  struct {
    uintptr_t start;
    size_t size;
    long protection;
  } mapping[MAPPED_MOST];
};
bool mappings_shared(struct shared_mappings *out);
void mappings_become(const struct shared_mappings *before, const struct shared_mappings *now);
/* Another process begins: what this one touched of the memory that they share is nobody's own. */
void mappings_unclaim_shared(void);

#endif
