/* SPDX-License-Identifier: Apache-2.0
 *
 * The program's memory in system calls: what the kernel reads and writes there; see transfer.c.
 */
#ifndef HEDDLE_RUNTIME_TRANSFER_H
#define HEDDLE_RUNTIME_TRANSFER_H

#include "worlds/threads/system/call.h"
#include <sys/socket.h>
#include <sys/uio.h>

#define TRANSFER_PARTS 16

/* One call's memory: the kernel gets copies. */
struct transfer {
  bool live; /* it is the program's own call, and has any */
  struct transfer_part {
    void *program, *copy;
    size_t size;
  } part[TRANSFER_PARTS];
  unsigned parts;
  struct iovec vector[TRANSFER_PARTS];
  struct msghdr header, *of; /* of: the program's */
};

/* Before and after a call. The first is a step for what the kernel reads, the second for what it wrote, if others use
 * that memory; in between, the call has copies of it. */
void transfer_begin(struct transfer *transfer, struct call *call);
void transfer_end(struct transfer *transfer, const struct call *original, long result);
void transfer_reset(void);

/* The kernel is about to write to memory: make those pages writable that are only protected to see them change. */
void touch_outputs(const struct call *call);

#endif
