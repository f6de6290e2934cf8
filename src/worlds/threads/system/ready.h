/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls on descriptors that may have to wait; see ready.c.
 */
#ifndef HEDDLE_RUNTIME_READY_H
#define HEDDLE_RUNTIME_READY_H

#include "worlds/threads/system/call.h"
#include <poll.h>

/* A call on it may wait: it is not set to return -EAGAIN instead. */
bool descriptor_blocks(long fd);
/* As it is, but never waiting in the kernel: what there is, or -EAGAIN. */
long perform_at_once(const struct call *call, long fd);
/* Once it is ready for that (POLLIN, POLLOUT); ready for somebody else is not enough. */
long when_ready(const struct call *call, long fd, short events);
/* A message is sent or received when it can be, or never if the call says so. */
long when_ready_or_never(const struct call *call, short events, bool never);
/* All of it, as a call that may wait does: the part that there is, or that fits, then the rest when there is more. */
long transfer_whole(const struct call *call, short events);
/* The result of a call that writes. The kernel sends SIGPIPE to whoever writes to a pipe that nobody reads; ours is
 * ignored (faults.c). */
long or_signal(long result);

#endif
