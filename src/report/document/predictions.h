/* SPDX-License-Identifier: Apache-2.0
 *
 * Telling of predictions: what could happen, where, how sure that is and what came of trying; on a terminal and as
 * JSON. Keys of the JSON may be added to, not renamed.
 */
#ifndef HEDDLE_REPORT_PREDICTIONS_H
#define HEDDLE_REPORT_PREDICTIONS_H

#include "core/plan.h"
#include "predict/prediction.h"
#include <jansson.h>
#include <stdio.h>

struct analysis_view;

/* A prediction and what came of it. */
struct tried {
  const struct prediction *prediction;
  const struct trace *tables; /* that its numbers are from */
  uint64_t runs;              /* 0: not tried */
  struct plan_outcome outcome;
  double seconds;
  bool reported; /* as a bug, with a schedule */
};

struct predictions_view {
  const struct tried *tried;
  size_t count;
  const struct analysis_view *analysis; /* figures (analysis.h); NULL: no key */
};

/* "T1 holds a (bank.c:12) and wants b (bank.c:13), T2 holds b …": one line. */
void prediction_sentence(const struct trace *tables, const struct prediction *prediction, char *out, size_t n);

void tried_print(FILE *out, const struct tried *tried);

/* An array. *good becomes false when there is no memory. */
json_t *predictions_json(const struct predictions_view *view, bool *good);

#endif
