/* SPDX-License-Identifier: Apache-2.0
 *
 * From a prediction to a plan for the strategy confirm: numbers of the trace become names that hold in another
 * run. */
#ifndef HEDDLE_CLI_PREDICTION_PLAN_H
#define HEDDLE_CLI_PREDICTION_PLAN_H

#include "core/control.h"
#include "core/plan.h"
#include "predict/communication/pauses.h"
#include "predict/prediction.h"
#include "predict/protocol/automaton.h"

struct plan_options {
  enum naming naming;
  unsigned depth;
  bool no_contexts, no_yield;
};

void plan_make(struct plan *plan, const struct trace *tables, const struct prediction *prediction,
               const struct plan_options *options);
/* The steps that lead there. */
void plan_add_steps(struct plan *plan, const struct trace *tables, const struct model_group *group);
/* What counts of them if the program cannot be led along. */
void plan_add_pauses(struct plan *plan, const struct trace *tables, const struct trace_program *program,
                     const struct model_group *group);
/* The protocol that the call is against. False: it is too large for a plan. */
bool plan_add_protocol(struct plan *plan, const struct automaton *a);

#endif
