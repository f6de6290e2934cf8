/* SPDX-License-Identifier: Apache-2.0
 *
 * The other end of the executor over a socket, see the source.
 */
#ifndef HEDDLE_SESSION_AGENT_H
#define HEDDLE_SESSION_AGENT_H

#include <sys/types.h>

struct session_request;

/* Does the jobs that come on the wire, with the program of the request, until there are no more. Settings and all
 * else come with the jobs. */
void agent_run(const struct session_request *request, int wire);

/* Runs that, or what it is given instead, in a process of its own, which ends with us. *wire leads there. -1: errno
 * says why there is none. */
pid_t agent_start(const struct session_request *request, void (*run)(const struct session_request *, int), int *wire);

#endif
