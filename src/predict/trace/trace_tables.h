/* SPDX-License-Identifier: Apache-2.0
 *
 * The tables of a trace under construction, and the reader around them; what the readers of the two forms share. Of no
 * concern to analyses.
 */
#ifndef HEDDLE_PREDICT_TRACE_TABLES_H
#define HEDDLE_PREDICT_TRACE_TABLES_H

#include "predict/trace/trace.h"
#include <stdio.h>

struct trace_reader {
  struct trace tables; /* its arrays are those below */
  struct trace_site *sites;
  struct trace_stack *stacks;
  struct trace_thread *threads;
  struct trace_object *objects;
  struct trace_memory *memory;
  struct trace_function *functions;
  uint64_t number;    /* of the last event */
  uint64_t last_addr; /* the binary form: of the last access */
  FILE *file;
  char *line; /* the text form: the line being read */
  size_t line_size;
  unsigned line_number;
  bool text;
  bool failed;           /* no memory */
  struct std_state *std; /* the STD form: what std_import.c knows; else NULL */
};

/* A new entry, all zero; its index, 0 when there is no memory. */
uint32_t tables_add_site(struct trace_reader *r);
uint32_t tables_add_stack(struct trace_reader *r);
uint32_t tables_add_thread(struct trace_reader *r);
uint32_t tables_add_object(struct trace_reader *r);
uint32_t tables_add_memory(struct trace_reader *r);
uint32_t tables_add_function(struct trace_reader *r);

/* A copy that lives as long as the reader; NULL when there is no memory. */
const char *tables_text(struct trace_reader *r, const char *text);

/* A thing that nobody told the origin of is the only one of its name: that, for origin.fixed. */
uint64_t tables_own_name(const char *text);

#define TRACE_MAGIC "heddleT1" /* how the binary form begins */

/* The next event of each form. */
bool text_next(struct trace_reader *r, struct event *event, char *error, size_t error_size);
bool binary_begin(struct trace_reader *r, char *error, size_t error_size);
bool binary_next(struct trace_reader *r, struct event *event, char *error, size_t error_size);
/* False if this is no STD file; then the reader is as it was. */
bool std_begin(struct trace_reader *r);
bool std_next(struct trace_reader *r, struct event *event, char *error, size_t error_size);
void std_end(struct trace_reader *r);

#endif
