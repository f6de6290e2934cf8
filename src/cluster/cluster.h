/* SPDX-License-Identifier: Apache-2.0
 *
 * A search on more than one machine, over a NATS server.
 *
 * The search itself is the ordinary session of one process, the coordinator: it owns the frontier, and its workers are
 * seats. For each seat the session starts a relay, a process that offers the seat through the server and, once a worker
 * somewhere has taken it, is one end of a line (line.h) to it. A worker is a process on any machine that takes seats,
 * one a core, each in a process that fetches the program, checks that it would run as it does where the search began,
 * and has an agent (session/agent.h) do the jobs. A seat whose worker is gone gives its job back to the frontier, and
 * is offered again under another token: what the lost one still says is heard by nobody, so nothing counts twice.
 *
 * A worker runs what it is given there: of the coordinator's environment only what the program is started with here,
 * too (session/launch.h), travels.
 *
 * The checkpoint of the search (session/division.h) is kept on the server, too, under a name that is the same for the
 * same search: who starts it again, anywhere, goes on from there. In which folder the program runs is kept with it,
 * since that of who goes on may be another.
 *
 * Without the client library of NATS at the build, none.c has these functions, which say so.
 */
#ifndef HEDDLE_CLUSTER_CLUSTER_H
#define HEDDLE_CLUSTER_CLUSTER_H

#include "schedule/identity.h"
#include <limits.h>
#include <stdbool.h>

struct heard;
struct session_request;
struct target;

struct cluster_search {
  const char *url;
  char name[17];                     /* of the search */
  char *offer;                       /* of a seat (offer.h) */
  char runs_in[PATH_MAX];            /* the program, where there is a folder of that name */
  unsigned seats;                    /* that make sense: some more than there are workers' cores */
  char folder[PATH_MAX];             /* for the checkpoint; empty: none */
  char checkpoint[PATH_MAX + 16];    /* there */
  bool resumes;                      /* it has one that the server kept */
  struct heard *heard;               /* by the relays (line.h) */
  int keeper_ends, keeper_has_ended; /* pipes to who keeps checkpoints; -1: nobody does */
};

#define NO_CLUSTER ((struct cluster_search){.keeper_ends = -1, .keeper_has_ended = -1})

/* Whether the address is one of a server, and has no secret in it. False: an error was printed. */
bool cluster_check_address(const char *url);

/* All that workers need is on the server then, and the last checkpoint here. The identity is that of the search; NULL:
 * it has no checkpoints. False: an error was printed; close it in any case. */
bool cluster_search_open(struct cluster_search *search, const char *url, const struct target *target,
                         const struct identity *identity, double grace);
/* From now on each checkpoint that is written goes to the server. False: an error was printed. */
bool cluster_search_keep(struct cluster_search *search);
/* finished: there is nothing to go on with. */
void cluster_search_close(struct cluster_search *search, bool finished);

/* The relay of a seat (session/supervisor.h); relay_self is the search. */
void cluster_relay(const struct session_request *request, int wire);

/* One line if the server has not answered for some seconds; else NULL. self is the search. */
const char *cluster_trouble(const void *self);
/* One line if a worker said why it takes no part, each once; else NULL. self is the search. */
const char *cluster_refusal(const void *self);

/* A worker with that many cores, until it is told to end by a signal. Returns the exit status. */
int cluster_work(const char *url, unsigned cores);

/* How many seats workers could take now. -1: an error was printed. */
int cluster_count_cores(const char *url);

#endif
