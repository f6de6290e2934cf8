/* SPDX-License-Identifier: Apache-2.0
 *
 * A run on its way into a trace file: takes events out of the ring of the tested process (core/event_ring.h) while it
 * runs, and writes them with names of places and objects.
 */
#ifndef HEDDLE_CLI_TRACE_RECORDER_H
#define HEDDLE_CLI_TRACE_RECORDER_H

#include "cli/find/late_events.h"
#include "core/control.h"
#include "core/event_ring.h"
#include "debuginfo/symbols.h"
#include "predict/trace/number_map.h"
#include "predict/trace/trace_writer.h"
#include <stdbool.h>

struct trace_recorder {
  struct trace_writer writer;
  FILE *file;
  const char *program;
  struct symbols *symbols;
  uint64_t maps_loaded;                              /* bytes of the lists of modules that the symbols are from */
  struct number_map sites, objects, threads, stacks; /* from numbers of the process to those of the trace */
  uint32_t site_count, object_count, thread_count, stack_count, function_count;
  uint32_t functions[WATCHED_CALLS]; /* numbers of watched functions */
  struct raw_event defined;          /* thread, object or stack whose words are being read; op 0 for none */
  struct origin origin;
  uint32_t words, words_read;
  uint32_t stack_sites[64];
  struct late_events late;
  bool failed; /* no memory, or the file cannot be written */
  bool ended;  /* the run came to its end */
};

/* The file is open and empty. */
void trace_recorder_open(struct trace_recorder *r, FILE *file, const char *program);
/* Takes what is there. */
void trace_recorder_look(void *recorder, struct control *control);
struct hunt;
struct session_result;
/* One run of the program. */
void record_run(struct hunt *hunt, struct trace_recorder *recorder, double seconds, struct session_result *result);

/* Ends the file. False: it could not be written, or the run was not recorded to its end. */
bool trace_recorder_finish(struct trace_recorder *r);
void trace_recorder_close(struct trace_recorder *r);

#endif
