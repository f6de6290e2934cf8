/* SPDX-License-Identifier: Apache-2.0
 *
 * The division of an exhaustive search: the units that are to be explored, what was handed in, how far it all is,
 * and the file from which it can go on. A planner (planner.h): who works on it is not known here.
 */
#ifndef HEDDLE_SESSION_DIVISION_H
#define HEDDLE_SESSION_DIVISION_H

#include "estimate/forecast.h"
#include "schedule/identity.h"
#include "session/courses.h"
#include "session/frontier.h"
#include "session/planner.h"
#include "session/untold.h"
#include <stdbool.h>
#include <stdint.h>

/* Of what was handed in; what a worker that dies had not handed in does not count. */
struct handed {
  uint64_t executions, blocked, cut, steps;
  double seconds; /* before this session */
};

struct division {
  struct frontier frontier;
  struct courses *courses; /* instead, of a search by causality; NULL: it is none, or has not begun */
  struct handed tally;
  uint64_t limit; /* executions in all, 0 for none */
  uint64_t epoch; /* grows when more memory turns out to be shared and all begins anew */
  uint64_t *location;
  uint32_t locations;
  struct execution_line *line; /* with config.hashes */
  uint64_t lines, line_room;
  bool bounded;
  bool found;        /* a bug showed in what was handed in */
  bool found_before; /* and it did before the checkpoint was resumed, and was told: it is told no more */
  struct untold untold;
  uint64_t incomplete; /* a set of losses (core/loss.h) */
  bool failed;         /* no memory left, or a hand-in that makes no sense; error says so */
  char error[768];
  struct forecast forecast;
  uint64_t foretold;         /* executions when it was fed */
  bool foreseen;             /* somebody looks at it before the end */
  double began;              /* the first job */
  bool probed;               /* what the probes say came, or never will */
  const char *checkpoint;    /* file; NULL for none */
  struct identity *identity; /* of the checkpoint: what the search is about */
  unsigned out;              /* jobs that were not answered yet, */
  unsigned out_heeding;      /* and of them, those that go by a change of the program; */
  uint64_t heeding;          /* executions of such jobs */
  bool saving;               /* all are asked to hand in, to be written down, */
  double saving_at;          /* since then, */
  unsigned unsaved;          /* and so many have not */
  double saved_at;
  double rest, rests_until; /* dividing did not pay: it rests for so long, and until then */
  double worked;            /* processor seconds of workers */
  unsigned lost_in_a_row;   /* jobs, without an answer between them */
  double haste;             /* who has worked for so long hands in: others were killed before they did; 0: as usual */
  /* And of ours, */
  double spent;     /* for taking what was handed in and giving out units, in all, */
  double took;      /* for the last hand-in, */
  double save_took; /* and for the last checkpoint */
};

bool division_open(struct division *d);
void division_close(struct division *d);

/* It plans an exhaustive search: self is the division. */
extern const struct planner division_planner;

/* Nothing is left but what is beyond the bound. */
bool division_is_finished(const struct division *d);

/* A larger bound: the search goes on with what the one before left out. */
void division_raise(struct division *d, uint32_t limit);

/* Feeds the forecast, which is fed now and then anyway, with how far it is. */
void division_predict(struct division *d);

/* To the checkpoint. False: d->error says why. */
bool division_save(struct division *d, double now);
/* From a checkpoint, which must be whole and of the same search. False: an error was printed. */
bool division_resume(struct division *d, const char *path);

/* ---- what planners of exhaustive searches share ---- */

void division_fail(struct division *d, const char *why);
/* What the worker knows to be shared and we do not. */
void division_learn(struct division *d, const struct answer *answer);
/* Nothing that was counted counts. */
void division_forget(struct division *d);
/* What every job has: shared memory, and how many executions there may still be. */
void division_draft(const struct division *d, struct job_draft *draft);
void division_count(struct division *d, const struct answer *answer);
/* Nobody answers the job. */
void division_note_loss(struct division *d, const struct ticket *ticket);

#endif
