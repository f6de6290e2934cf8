/* SPDX-License-Identifier: Apache-2.0
 *
 * Planners: "what is to be done next?", where a session is divided into jobs. The half of a search that is not in the
 * tested process: it may allocate, and keep what it likes. It knows neither workers nor how jobs get to them
 * (executor.h); who has which job is the session's (share.c).
 */
#ifndef HEDDLE_SESSION_PLANNER_H
#define HEDDLE_SESSION_PLANNER_H

#include "core/job.h"
#include <stdbool.h>
#include <stdint.h>

struct control;
struct place;
struct unit;

/* A job in the making. */
struct job_draft {
  struct unit *unit; /* memory for the unit; NULL, if it has none, */
  uint64_t room;     /* so much of it */
  const uint64_t *location;
  uint32_t locations;
  uint64_t first;      /* number of the first execution */
  uint64_t executions; /* at most; 0: no limit */
  unsigned worker;     /* for whom: a worker that is lost is another one since, but has the same number */
  unsigned others;     /* who are free, too */
};

/* What a planner needs to know an answer by. */
struct ticket {
  struct place *unit;
  unsigned worker; /* who has it */
  uint64_t epoch;
  uint32_t known;             /* of the unit: what others did later it did not know of */
  bool probes;                /* it begins with probes */
  bool heeds;                 /* it goes by a change of the program */
  uint64_t first, executions; /* of samples */
  double given_at;
  bool beside;   /* others were out by then */
  double worked; /* seconds of the processor since, as far as is known */
};

/* What came back. */
struct answer {
  uint64_t executions, blocked, cut, steps;
  double seconds;                      /* of the processor */
  uint64_t losses;                     /* a set of LOST_* (core/loss.h) */
  bool bounded;                        /* there was more, beyond the bound */
  bool learnt;                         /* more memory is shared than was known; but for that, nothing is handed in */
  bool found;                          /* a bug */
  const void *part[ANSWER_PART_COUNT]; /* NULL: none */
  uint64_t bytes[ANSWER_PART_COUNT];
  const struct control *block; /* all that the worker says of itself, for who passes it on */
};

enum outlook {
  JOBS_TO_COME,
  JOBS_OVER, /* no more jobs */
  JOBS_STOP  /* and those that are out end after their execution */
};

struct planner { /* the last three may be NULL */
  /* Somebody is free. False: there is nothing to do at the moment. */
  bool (*next)(void *self, struct job_draft *draft, struct ticket *ticket, double now);
  void (*take)(void *self, const struct ticket *ticket, const struct answer *answer, double now);
  /* Who had it died, and left this behind. */
  void (*lost)(void *self, const struct ticket *ticket, const struct control *block, int wait_status);
  /* For how many seconds who has it is left alone, before it is asked for what it has; idle: others have nothing. */
  double (*patience)(const void *self, const struct ticket *ticket, bool idle);
  /* Again and again. working: jobs are out. */
  enum outlook (*look)(void *self, bool working, double now);
  /* One line, if it can go on no more; else NULL. */
  const char *(*problem)(const void *self);
  /* Whether the answer is to be taken together with those of all others, who are asked for them; the first one is that
   * which precedes the others. */
  bool (*meets)(const void *self, const struct ticket *ticket, const struct answer *answer);
  bool (*precedes)(const void *self, const struct ticket *a, const struct ticket *b);
  /* A descriptor on which new jobs come. */
  int (*fd)(const void *self);
};

#endif
