/* SPDX-License-Identifier: Apache-2.0
 *
 * A run on its way into a trace file: takes events out of the ring of the tested process (core/record.h) while it runs,
 * and writes them with names of places and objects.
 */
#ifndef HEDDLE_CLI_RECORDING_H
#define HEDDLE_CLI_RECORDING_H

#include "core/control.h"
#include "core/record.h"
#include "debuginfo/symbols.h"
#include "predict/trace/number_map.h"
#include "predict/trace/trace_writer.h"
#include <stdbool.h>

struct recording {
  struct trace_writer writer;
  FILE *file;
  const char *program;
  struct symbols *symbols;
  bool maps_loaded;
  struct number_map sites, objects, threads, stacks; /* from numbers of the process to those of the trace */
  uint32_t site_count, object_count, thread_count, stack_count, function_count;
  uint32_t functions[WATCHED_CALLS]; /* numbers of watched functions */
  struct raw_event defined;          /* thread, object or stack whose words are being read; op 0 for none */
  struct origin origin;
  uint32_t words, words_read;
  uint32_t stack_sites[64];
  bool failed; /* no memory, or the file cannot be written */
  bool ended;  /* the run came to its end */
};

/* The file is open and empty. */
void recording_open(struct recording *r, FILE *file, const char *program);
/* Takes what is there. */
void recording_look(void *recording, struct control *control);
struct hunt;
struct session_result;
/* One run of the program (record.c). */
void record_run(struct hunt *hunt, struct recording *recording, double seconds, struct session_result *result);

/* Ends the file. False: it could not be written, or the run was not recorded to its end. */
bool recording_finish(struct recording *r);
void recording_close(struct recording *r);

#endif
