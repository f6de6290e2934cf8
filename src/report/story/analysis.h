/* SPDX-License-Identifier: Apache-2.0
 *
 * Figures of the analyses of a recorded run, for whoever makes tables of them: sizes, times, and what the search
 * through the trace program found. JSON, as a part of the document of predictions; keys may be added to, not
 * renamed. */
#ifndef HEDDLE_REPORT_ANALYSIS_H
#define HEDDLE_REPORT_ANALYSIS_H

#include "predict/communication/communication.h"
#include "predict/protocol/protocol.h"
#include <jansson.h>

/* Seconds. */
struct analysis_times {
  double record;   /* the run, with all its events written down */
  double read;     /* the file once, by all analyses: sequences of calls are collected then */
  double learn;    /* protocols */
  double check;    /* all orders of calls */
  double programs; /* trace programs made and searched through */
};

struct analysis_view {
  const struct trace *tables;
  const struct communication *communication;
  const struct protocol_figures *protocols;
  struct analysis_times times;
  uint64_t events;
};

/* *good becomes false when there is no memory. */
json_t *analysis_json(const struct analysis_view *view, bool *good);

#endif
