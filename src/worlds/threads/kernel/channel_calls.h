/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls of the program on descriptors that are modelled, and calls that make such; see channel_calls.c.
 */
#ifndef HEDDLE_RUNTIME_KERNEL_CALLS_H
#define HEDDLE_RUNTIME_KERNEL_CALLS_H

#include "worlds/threads/kernel/kernel.h"
#include <sys/syscall.h>

/* True, with the result, if the call is one of those. */
bool kernel_call(struct call *call, long *result);
/* The same after the call's own step, before which its numbers meant something else. */
bool kernel_call_by_now(const struct call *call, long *result);
/* Empty again, for the next execution. */
void kernel_reset(void);

/* ---- calls that make descriptors ---- */

long pipe_call(const struct call *call);
long eventfd_call(const struct call *call);
long signalfd_call(const struct call *call);
long epoll_create_call(const struct call *call);
long inotify_call(const struct call *call);
long pidfd_open_call(const struct call *call);
long socket_call(const struct call *call);
long socketpair_call(const struct call *call);

/* ---- bytes (reading.c) ---- */

/* A call that reads, or writes, by one of its parts: read, recvmsg, … */
long read_channel(const struct call *call);
long write_channel(const struct call *call);
/* The call for its parts: of which memory, with which flags. */
void transfer_describe(struct transfer_call *t, const struct iovec *part, size_t parts);
void describe_call(const struct call *call, struct transfer_call *t);
long vmsplice_channel(const struct call *call);
long splice_channel(const struct call *call);

/* ---- sockets (connecting.c, socket_options.c) ---- */

long bind_channel(const struct call *call);
long listen_channel(const struct call *call);
long connect_channel(const struct call *call);
long accept_channel(const struct call *call);
long shutdown_channel(const struct call *call);
long receive_many_channel(const struct call *call);
long send_many_channel(const struct call *call);
long get_option_channel(const struct call *call);
long set_option_channel(const struct call *call);
long name_channel(const struct call *call);

/* ---- processes (pidfd.c) ---- */

long pidfd_signal_channel(const struct call *call);
long pidfd_take_channel(const struct call *call);

/* ---- interest in others (epoll.c, inotify.c) ---- */

long epoll_ctl_channel(const struct call *call);
long forget_watch_channel(const struct call *call);

#endif
