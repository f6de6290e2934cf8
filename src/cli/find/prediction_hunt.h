/* SPDX-License-Identifier: Apache-2.0
 *
 * One recorded run, what it predicts, and what came of trying; see prediction_hunt.c.
 */
#ifndef HEDDLE_CLI_PREDICTION_HUNT_H
#define HEDDLE_CLI_PREDICTION_HUNT_H

#include "cli/find/hunt.h"
#include "predict/communication/communication.h"
#include "predict/locks/goodlock.h"
#include "predict/protocol/protocol.h"
#include "report/document/predictions.h"
#include "report/story/analysis.h"

struct prediction_hunt {
  struct hunt *hunt;
  double started, seconds; /* there are */
  struct trace_reader *reader;
  FILE *file;    /* that the run was recorded into; NULL with --from */
  char path[64]; /* of that file */
  uint64_t events;
  struct predictions predictions;
  struct tried *tried;          /* one for each */
  struct session_result *found; /* takes the bugs that show; NULL: they are reproduced and told at once */
  struct goodlock_summary locks;
  struct protocol *protocol; /* the analysis, which has the automata; may be NULL */
  struct protocol_figures protocols;
  struct communication communication;
  struct analysis_times times;
};

/* Records a run, or opens the one that --from names. False: an error was printed, or is in *result. */
bool prediction_hunt_open(struct prediction_hunt *f, struct session_result *result);
/* False: an error was printed. */
bool prediction_hunt_analyse(struct prediction_hunt *f);
/* Tries all that is predicted, while there is time; tell may be NULL. */
void prediction_hunt_try(struct prediction_hunt *f,
                         void (*tell)(const struct prediction_hunt *f, const struct tried *tried));
void prediction_hunt_close(struct prediction_hunt *f);

#endif
