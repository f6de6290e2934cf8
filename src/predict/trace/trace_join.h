/* SPDX-License-Identifier: Apache-2.0
 *
 * Several runs of one program as one trace, one after the other, for analyses that learn more from all of them than
 * from each: as if the program had been started several times at once, and its processes had nothing to do with each
 * other. So threads, objects and memory of different runs are different; places in the code and functions are the same.
 */
#ifndef HEDDLE_PREDICT_TRACE_JOIN_H
#define HEDDLE_PREDICT_TRACE_JOIN_H

#include "predict/trace/trace.h"
#include <stdio.h>

#define JOINED_MOST 16

/* Writes the traces of up to JOINED_MOST files into an empty one. False with one line in error. */
bool trace_join(FILE *out, const char *const *paths, unsigned count, char *error, size_t error_size);

#endif
