/* SPDX-License-Identifier: Apache-2.0
 *
 * A bug, pinned: from the trace of a failing execution to a schedule in the language of tests (language/order_parse.h),
 * and edits of the sources that place its events. Nothing is run, printed or written here.
 *
 * The orders between threads that make the execution what it was (pin_order.h) become orderings `a -> b`: a is an event
 * right behind the first operation, b one right before the second. A statement with a switch inside of it is taken
 * apart (pin_split.h), an event in a loop is that of its nth time.
 */
#ifndef HEDDLE_REPORT_PIN_H
#define HEDDLE_REPORT_PIN_H

#include "core/ordering.h"
#include "file/source_patch.h"
#include "report/pin/pin_order.h"
#include "report/pin/pin_statement.h"
#include "report/story/story.h"

#define PIN_FILES 8
#define PIN_PAIRS 48 /* orderings: more is no test that anybody reads */
#define PIN_EVENTS_MOST 50000

struct pin_file {
  const char *path; /* the symbols' */
  char *text, *code;
  size_t length;
  bool edited;
  struct source_patch patch;
};

enum pin_slot { PIN_BEFORE, PIN_INSIDE, PIN_BEHIND };

/* A statement in which operations are performed. */
struct pin_place {
  uint32_t file;
  struct source_statement statement;
  const char *function;
  uint32_t threads;         /* how many come there */
  uint32_t thread;          /* the last that was seen */
  bool split;               /* events stand inside of it: */
  uintptr_t behind, before; /* behind the operation there, before that one */
  char operand[64];         /* what the first one reads, as the source has it */
  bool writes;              /* the second one writes */
};

/* Where an operation of the trace stands. */
struct pin_spot {
  uint32_t place; /* from 1; 0: not in the program's own source */
  uint32_t nth;   /* time that its thread comes there, from 1 */
  uintptr_t pc;
};

struct pin_event {
  size_t operation;
  bool behind;  /* it, not before it */
  bool blocked; /* the thread is asked for to be blocked there */
  bool wakes;   /* before it goes on behind a wait */
  uint32_t place;
  enum pin_slot slot;
  uint32_t nth; /* time that its thread comes there */
  char name[ORDERING_NAME];
  char text[ORDERING_NAME + ORDERING_THREAD + 4]; /* in the schedule */
};

struct pin {
  const struct story *story;
  char name[ORDERING_NAME];
  size_t operations; /* of the trace, and what the threads were about to do at its end */
  struct pin_operation *operation;
  struct pin_spot *spot;
  struct pin_place *place;
  uint32_t places;
  struct pin_file file[PIN_FILES];
  uint32_t files;
  struct pin_pair *pair;
  size_t pairs;
  bool left_out[PIN_PAIRS];              /* the caller's: pairs that are not needed */
  struct pin_event event[2 * PIN_PAIRS]; /* of pair i: 2i and 2i + 1 */
  char *schedule;                        /* lines of orderings, after pin_place() */
  size_t lines;
  char problem[320]; /* why it cannot be pinned */
};

/* All that touches what the story tells of, or with `whole` all there is. False: pin->problem says why it cannot be
 * pinned; pin_close() in any case. The story must be there until then. */
bool pin_open(struct pin *pin, const struct story *story, const char *name, bool whole);
void pin_close(struct pin *pin);

/* Events for all pairs that are not left out: the schedule and the edits. Can be called again. False: pin->problem. */
bool pin_place(struct pin *pin);

/* ---- for pin_edit.c ---- */

/* False, with the first reason in pin->problem. */
bool pin_cannot(struct pin *pin, const char *why);

/* What the operation was. */
const struct trace_event *pin_trace_event(const struct pin *pin, size_t operation);

/* ---- pin_edit.c ---- */

/* The edits for the events of the pin. False: pin->problem. */
bool pin_edit(struct pin *pin);

#endif
