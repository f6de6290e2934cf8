/* SPDX-License-Identifier: Apache-2.0
 *
 * From a prediction to a plan for the strategy confirm: numbers of the trace become names that hold in another run.
 */
#ifndef HEDDLE_CLI_PLAN_H
#define HEDDLE_CLI_PLAN_H

#include "core/plan.h"
#include "predict/model.h"
#include "predict/prediction.h"

struct plan_options {
  enum naming naming;
  unsigned depth;
  bool no_contexts, no_yield;
};

void plan_make(struct plan *plan, const struct trace *tables, const struct prediction *prediction,
               const struct plan_options *options);
/* The steps that lead there. */
void plan_add_steps(struct plan *plan, const struct trace *tables, const struct model_group *group);

#endif
