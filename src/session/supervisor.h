/* SPDX-License-Identifier: Apache-2.0
 *
 * Sessions: workers are started, watched, started again, stopped, and what they found is brought together.
 *
 * A worker is one tested process at a time and the shared memory (core/control.h) that outlives it. The supervisor
 * never touches the program: it reads progress from that memory, and acts when a process ends, stands still or runs out
 * of time. Results do not depend on which worker was faster: a bug ends the search only when all executions with
 * smaller numbers were run, and of several reports of one bug that of the smallest number is kept.
 */
#ifndef HEDDLE_SESSION_SUPERVISOR_H
#define HEDDLE_SESSION_SUPERVISOR_H

#include "core/abstract_schedule.h"
#include "core/bug.h"
#include "core/control.h"
#include "report/document/coverage_document.h"
#include "session/deadline.h"
#include "session/division.h"
#include "session/executor.h"
#include "session/live.h"
#include "session/target.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pace;
struct trials;

struct session_request {
  const struct target *target;
  struct control_config
      config;              /* first is that of all workers, stride the supervisor's; executions is for all together */
  const struct plan *plan; /* of the strategy confirm; else NULL */
  const struct trials *trials;            /* of the strategy localise; else NULL */
  const struct schedule_record *schedule; /* to replay, shrink or localise; may be NULL */
  unsigned workers;
  double seconds; /* 0: no limit but that of the command (deadline.h) */
  bool last;      /* it is needed to end at all: it may take what there is to finish */
  double grace;
  bool live;                  /* draw what goes on */
  struct live_search *search; /* that it is a part of, for a screen; NULL: a line */
  bool notes;                 /* tell the user of a change of the reset and of executions that killed their process */
  struct division *division;  /* an exhaustive search; NULL for another */
  struct samples *samples;    /* samples that are done elsewhere, in ranges; NULL for others */
  const uint64_t *location;   /* known to be shared; NULL: none is */
  size_t locations;
  struct corpus *corpus;         /* what workers share and goes on from run to run; NULL: nothing */
  const struct planner *planner; /* of a session in jobs; NULL: that of the division, if there is one */
  void *planner_self;
  enum executor_id executor; /* of such a session */
  /* With the executor over a socket: in place of an agent, in a process for each worker, what brings the jobs to one
   * elsewhere. It is started before there is a job, and says when there is somebody to do one (MESSAGE_READY). */
  void (*relay)(const struct session_request *request, int wire);
  const void *relay_self;
  /* One line if nobody can be reached at the moment, whatever the relays do; else NULL. */
  const char *(*trouble)(const void *relay_self);
  /* One line if somebody there said why he takes no part, each once; else NULL. */
  const char *(*refusal)(const void *relay_self);
  /* Asked now and then, with what is known of an exhaustive search; true ends the session as if the time were up. */
  bool (*enough)(void *context, const struct division *division, double elapsed);
  void *context;
  /* Called again and again while a worker runs, and once after its end. */
  void (*look)(void *context, struct control *control);
  struct covered *covered; /* what the session covers is added; NULL: not of interest */
  struct pace *pace;       /* the same for how it went on */
};

enum session_end {
  SESSION_DONE,        /* all that was asked for, or a bug */
  SESSION_TIME,        /* the time was up */
  SESSION_INTERRUPTED, /* by Ctrl-C or a signal to us */
  SESSION_DIVERGED,    /* the program did not follow the schedule; see error */
  SESSION_FAILED       /* see error and status */
};

struct session_bug {
  struct bug bug;
  struct schedule_record *schedule; /* malloc'ed; NULL when it was lost */
  struct abstract_schedule tried;   /* what the execution was to show; without constraints: nothing in particular */
};

struct session_result {
  enum session_end end;
  int status;          /* with SESSION_FAILED: STATUS_USAGE or STATUS_FAILED */
  char error[768];     /* one line, without an end, maybe without a place */
  uintptr_t error_pc;  /* the place, 0 for none */
  char stands_at[384]; /* with SESSION_TIME: where a thread stood still when the time was up; may be empty */
  char *error_output;  /* what the program or the dynamic linker said at its start; NULL for nothing */
  size_t error_output_bytes;

  struct session_bug *bugs; /* in the order of their executions */
  size_t bug_count;
  bool bugs_left_out;  /* there were more than are kept */
  int64_t exit_status; /* the program ended with, the first time; -1: it never did */
  bool exits_differ;   /* another time with another */
  uint64_t executions;
  uint64_t cut;
  bool assumed;     /* some of them because an assumption of the program did not hold */
  uint64_t blocked; /* abandoned by a reduction */
  bool complete;    /* an exhaustive search saw everything */
  bool bounded;     /* but for what lies beyond the bound */
  bool finished;    /* it came to its end, whatever it could see */
  uint64_t missed;  /* why it is no proof, even if it came to its end: a set of LOST_* (core/loss.h) */
  uint64_t steps;
  double asking; /* seconds of the processor between executions, to find the next one */
  struct planned planned;
  uint64_t lost; /* executions that killed their process */
  uint64_t gone; /* times that who did a job elsewhere was not to be found any more; others did it again */
  uint64_t hash; /* over all executions */
  uint64_t max_threads, max_steps;                 /* of an execution */
  struct ordering_tally orderings[ORDERINGS_MOST]; /* of the test, as far as it has some (control) */
  uint32_t property_events[PROPERTIES];            /* that came, of each property; sets */
  double seconds;
  uint32_t reset;         /* enum reset_mode in use at the end */
  uint32_t told_reset;    /* the slowest that there was a reason to go on with */
  char reset_reason[256]; /* this one; empty for none */
  bool instrumented;
  char unhooked[sizeof((struct control *)0)->unhooked];         /* modules whose accesses to memory are unseen */
  char unseen_calls[sizeof((struct control *)0)->unseen_calls]; /* functions of the C library, the same */
  struct uncovered uncovered;                                   /* what LOST_CAUSALITY is about, */
  char uncovered_text[384];                                     /* in words, as far as they were asked for */
  bool exhausted;               /* all workers ended by themselves before any limit: the strategy has no more */
  struct schedule_record *best; /* the schedule that the strategy kept: malloc'ed; NULL for none */

  /* Until session_free: */
  struct control *outside;        /* of a worker that saw the program wait for the outside; NULL for none */
  struct control *likely_outside; /* of one that had reason to think so */
  struct control *control;        /* of the first worker that ran, with trace and output */
};

/* Runs a session. Always fills *result, which must be freed. */
void session_run(const struct session_request *request, struct session_result *result);
void session_free(struct session_result *result);

/* Takes the bug of another session, unless this one has it; its schedule moves. */
void session_add_bug(struct session_result *result, struct session_bug *bug);

/* What other executions saw of the test's schedules. */
void ordering_tallies_add(struct session_result *sum, const struct ordering_tally *more);
void property_events_add(struct session_result *sum, const uint32_t more[PROPERTIES]);

/* Whether the bug ends an execution under this configuration, and so the search without --keep-going. */
bool bug_is_fatal(const struct bug *bug, const struct control_config *config);

#endif
