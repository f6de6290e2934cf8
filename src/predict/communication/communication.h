/* SPDX-License-Identifier: Apache-2.0
 *
 * Communication deadlocks of a recorded run, all together: conditions (guards.h), the trace program (trace_program.h),
 * its deadlocks (model.h). The file is read three times: what memory changes, what is read before waits, and the
 * program.
 */
#ifndef HEDDLE_PREDICT_COMMUNICATION_H
#define HEDDLE_PREDICT_COMMUNICATION_H

#include "predict/program/guards.h"
#include "worlds/trace/model.h"

struct communication_options {
  bool loop_guards; /* guarded waits as loops, too: both are counted, the predictions are those of loops */
  struct model_limits limits;
};

struct communication {
  struct guards *guards;
  struct trace_program *program; /* what the predictions are about */
  struct model_result result;    /* of it: group i belongs to the i-th prediction added */
  uint32_t groups_once;          /* groups if guards are asked once, */
  uint32_t groups_looping;       /* and if they are asked again after a wake-up; only with loop_guards */
};

/* reader: of the file; it is not moved. False with one line in error; then there is nothing to free. */
bool communication_analyse(struct communication *c, const struct trace_reader *reader,
                           const struct communication_options *options, char *error, size_t error_size);
void communication_free(struct communication *c);

#endif
