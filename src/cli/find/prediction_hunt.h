/* SPDX-License-Identifier: Apache-2.0
 *
 * Recorded runs, what they predict, and what came of trying; see prediction_hunt.c.
 */
#ifndef HEDDLE_CLI_PREDICTION_HUNT_H
#define HEDDLE_CLI_PREDICTION_HUNT_H

#include "cli/find/hunt.h"
#include "predict/communication/communication.h"
#include "predict/locks/goodlock.h"
#include "predict/protocol/protocol.h"
#include "report/document/predictions.h"
#include "report/story/analysis.h"

#define RECORDINGS 4 /* the one of the strategy, and random ones: few programs wait for each other in a first order */

struct recording {
  FILE *file;    /* that the run was recorded into; NULL with --from */
  char path[64]; /* of that file */
  struct trace_reader *reader;
  struct communication communication;
};

struct prediction_hunt {
  struct hunt *hunt;
  double started, seconds; /* there are */
  bool several;            /* more than one run is recorded, if that does not take long */
  struct recording recording[RECORDINGS];
  unsigned recordings;
  struct recording all;        /* joined, if there are several: analyses of other kinds than communication read that */
  struct trace_reader *reader; /* of it, or of the only one */
  struct session_result by_chance[RECORDINGS]; /* runs that were recorded and did not pass */
  unsigned failures;
  uint64_t events;
  struct predictions predictions;
  struct tried *tried;          /* one for each */
  struct session_result *found; /* takes the bugs that show; NULL: they are reproduced and told at once */
  struct goodlock_summary locks;
  struct protocol *protocol; /* the analysis, which has the automata; may be NULL */
  struct protocol_figures protocols;
  struct analysis_times times;
};

/* Records runs, or opens the one that --from names. False: an error was printed, or is in *result. */
bool prediction_hunt_open(struct prediction_hunt *f, struct session_result *result);
/* False: an error was printed. */
bool prediction_hunt_analyse(struct prediction_hunt *f);
/* Tries all that is predicted, while there is time; tell may be NULL. */
void prediction_hunt_try(struct prediction_hunt *f,
                         void (*tell)(const struct prediction_hunt *f, const struct tried *tried));
void prediction_hunt_close(struct prediction_hunt *f);

#endif
