/* SPDX-License-Identifier: Apache-2.0
 *
 * Writing traces in their binary form. What an event speaks of is written before it, numbered from 1 in the order of
 * writing, as the tables of trace.h.
 */
#ifndef HEDDLE_PREDICT_TRACE_WRITER_H
#define HEDDLE_PREDICT_TRACE_WRITER_H

#include "predict/trace/trace.h"
#include <stdio.h>

struct trace_writer {
  FILE *file;
  uint64_t events;
  uint64_t last_addr; /* addresses are written as differences */
};

/* The head of a file. Errors are those of the FILE (ferror). */
void trace_write_head(struct trace_writer *w, FILE *file, const char *program);
void trace_write_site(struct trace_writer *w, const struct trace_site *site);
void trace_write_stack(struct trace_writer *w, const struct trace_stack *stack);
void trace_write_thread(struct trace_writer *w, const struct trace_thread *thread);
void trace_write_object(struct trace_writer *w, const struct trace_object *object);
void trace_write_memory(struct trace_writer *w, const struct trace_memory *memory);
void trace_write_function(struct trace_writer *w, const struct trace_function *function);
void trace_write_event(struct trace_writer *w, const struct event *event);
/* Without it a file is one that was cut off. */
void trace_write_end(struct trace_writer *w);

#endif
