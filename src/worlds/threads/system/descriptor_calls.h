/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls of the program on descriptors, a function for those that are made alike; which those are is in the table of
 * descriptor_calls.c. Each gives back a result or -errno, or UNKNOWN if the call may go on as one of no particular
 * kind.
 */
#ifndef HEDDLE_RUNTIME_DESCRIPTOR_CALLS_H
#define HEDDLE_RUNTIME_DESCRIPTOR_CALLS_H

#include "worlds/threads/system/call.h"

/* ---- they come and go (opening.c) ---- */

long open_call(const struct call *call);
bool files_opened(void); /* any, in this execution */
void files_opened_reset(void);
long close_call(const struct call *call);
long dup_call(const struct call *call);
long pair_call(const struct call *call);
long make_descriptor_call(const struct call *call); /* of which nothing is to be known but that it is there */

/* ---- bytes (read_write.c) ---- */

long read_call(const struct call *call);
long write_call(const struct call *call);
long splice_call(const struct call *call);
long copy_range_call(const struct call *call);

/* ---- connections and messages (sockets.c) ---- */

long connect_call(const struct call *call);
long accept_call(const struct call *call);
long shutdown_call(const struct call *call);
long send_call(const struct call *call);
long receive_call(const struct call *call);
long receive_many_call(const struct call *call);

/* ---- waiting for any of several (polling.c) ---- */

long poll_call(const struct call *call);
long select_call(const struct call *call);
long epoll_call(const struct call *call);

#endif
