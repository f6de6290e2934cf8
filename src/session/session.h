/* SPDX-License-Identifier: Apache-2.0
 *
 * A session while it runs: what the files of its supervisor share, and nobody else knows.
 */
#ifndef HEDDLE_SESSION_SESSION_H
#define HEDDLE_SESSION_SESSION_H

#include "session/client_process.h"
#include "session/launch.h"
#include "session/supervisor.h"
#include "session/worker.h"
#include <stdbool.h>
#include <stdint.h>

struct pollfd;

#define LOOK_MS                                                                                                        \
  10             /* between two looks of who asked for the session: few events fit into that, and many into the ring */
#define TICK 0.1 /* seconds between two looks at the workers */
#define PATIENCE 0.3 /* for an execution that is told to end */

/* Of those who do the jobs elsewhere (absence.c). */
struct absence {
  double alone_since; /* nobody was there */
  double told_at;     /* 0: there is nothing to tell */
};

struct session {
  const struct session_request *request;
  struct session_result *result;
  const struct planner *planner; /* NULL: every worker has executions of its own */
  void *planner_self;
  uint64_t taken; /* executions of the jobs that were answered */
  struct launch launch;
  struct worker *worker;
  struct pollfd *poll; /* two for each worker, and the planner's */
  unsigned count;
  struct client client; /* of the only worker, if the target has one */
  double started;
  double seconds;      /* there are, 0 for no limit */
  unsigned interrupts; /* seen */
  double looked;       /* at the last tick */
  double due;          /* when a worker is to be asked for its answer; INFINITY: none is */
  double kill_at;      /* 0: not stopping */
  uint64_t first_bug;  /* smallest execution that showed a bug that ends the search; UINT64_MAX: none */
  bool limit_reached;
  uint32_t bugs_counted;         /* of all workers, when they were last looked at for the screen */
  struct live_coverage coverage; /* the same of what is covered, */
  double coverage_counted;       /* and when */
  struct absence absence;
  struct {
    bool seen, differ;
    int64_t first;
  } exits;      /* of samples that are counted */
  bool waiting; /* the other workers start when the first one has shown that there is more than one execution */
};

/* All workers are to end after their executions, and are killed after so many seconds. */
void session_stop(struct session *s, double patience);

/* The session fails, and with it the worker if one is given. The first failure is the one that is told. */
void session_fail(struct session *s, struct worker *w, int status, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* What the request has for each worker, into its new memory. */
void give_parts(const struct session *s, struct worker *w);

/* ---- care.c: the processes of workers ---- */

void start_worker(struct session *s, struct worker *w);
/* The worker wants to go on in another way, for a reason the user should know; each way is told once. */
void note_reset(struct session *s, struct worker *w);
/* Its process has ended. */
void worker_ended(struct session *s, struct worker *w);
/* passed: seconds since the last look, but never more than we slept: a suspended machine is no stuck program. */
void look_for_life(struct session *s, struct worker *w, double now, double passed);
void look_for_damage(struct session *s);

/* ---- absence.c: nobody does the jobs ---- */

void look_for_absence(struct session *s, double now);

/* ---- progress.c: what is drawn meanwhile ---- */

struct live look_at_progress(struct session *s, double now);
/* The session is over: what comes next is added to it. */
void end_progress(struct session *s);

/* ---- collect.c: what workers found ---- */

/* Whether one schedule ended with another exit status than the next. A worker sees its own executions only. */
bool exits_differ(const struct session *s);
/* With samples in ranges: what is counted of one, and its memory is closed unless it is needed. */
void note_exits(struct session *s, const struct control *c);
void collect_part(struct session *s, struct worker *w);
/* Before the worker's memory goes. */
void collect_bugs(struct session *s, struct worker *w);
void collect_coverage(const struct session *s, const struct worker *w);
void collect(struct session *s);

#endif
