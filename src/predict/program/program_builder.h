/* SPDX-License-Identifier: Apache-2.0
 *
 * A trace program under construction; of no concern to those who use one.
 */
#ifndef HEDDLE_PREDICT_PROGRAM_BUILDER_H
#define HEDDLE_PREDICT_PROGRAM_BUILDER_H

#include "predict/program/guards.h"
#include "predict/program/region.h"
#include "predict/program/trace_program.h"
#include "predict/trace/number_map.h"

#define GUARDS_OPEN 16 /* at once, by one thread */

struct program_held_lock {
  uint32_t object, depth;
  uint16_t op; /* by which it was taken */
  bool reader;
};

struct builder_thread {
  struct region region;
  struct program_held_lock *held;
  uint32_t held_count, held_room;
  uint32_t open; /* guards, and their predicates */
  uint32_t guarding[GUARDS_OPEN];
  uint32_t guard_site[GUARDS_OPEN];
  struct event announced; /* the guard whose predicate comes next; number 0: none */
  uint32_t announced_occurrence;
  bool exited;
  struct event before; /* its last event, and which occurrence that was; kept if memory counts */
  uint32_t before_occurrence;
  uint32_t asked; /* line of the guard that was just begun, + 1 */

  /* Inferred conditions. */
  struct guard_section section;
  uint32_t waits_for; /* instance that holds, so that a wait must follow; 0: none */
  bool waited;        /* it did */
};

struct builder_object {
  uint32_t predicate, variable; /* their numbers in the program */
  bool known, value;            /* of a predicate, as last seen */
  bool opened;                  /* a barrier */
  uint32_t mutex;               /* of a condition variable */
  int64_t units, least;
};

struct program_builder {
  struct program_options options;
  struct trace_program *program;
  struct builder_thread *thread;
  struct builder_object *object;
  uint32_t threads, objects, predicate_room, variable_room; /* room */
  uint32_t occurrence;                                      /* of the event in hand */
  uint64_t lines;
  bool exits;                  /* some thread was seen to end */
  uint32_t *inferred;          /* predicate of each inferred condition; NULL: there are none */
  struct number_map variables; /* of memory that those are about, by address */
  struct number_map values;    /* of that memory, as last seen */
  struct number_map occurrences;
  struct number_map waits; /* site of a guard: that of the wait in it */
};

void builder_add(struct program_builder *b, uint32_t thread, const struct program_line *line);
/* Their numbers; 0: no memory. */
uint32_t builder_predicate(struct program_builder *b, struct program_predicate predicate);
uint32_t builder_variable(struct program_builder *b, struct program_variable variable);
/* A wait or signal that did not happen, told by the event of its guard. */
void builder_synthetic(struct program_builder *b, const struct event *e, enum op_kind op, uint32_t cv, uint32_t mutex);
void builder_problem(struct program_builder *b, const struct trace *t, uint32_t site, const char *what);

/* program_inferred.c. False: no memory. */
bool inferred_begin(struct program_builder *b);
/* Before the event becomes a line, and after. */
void inferred_before(struct program_builder *b, const struct trace *t, const struct event *e);
void inferred_after(struct program_builder *b, const struct event *e);
void inferred_end(struct program_builder *b, uint32_t thread);

/* program_reduce.c: leaves out what nobody can notice, and finds out where lines jump to. False: no memory. */
bool program_reduce(struct trace_program *p, bool loop_guards);

/* A line for the event in hand. */
static inline struct program_line line_of(const struct program_builder *b, const struct event *e, enum line_kind kind,
                                          uint32_t object)
{
  return (struct program_line){.kind = (uint8_t)kind,
                               .op = e->op,
                               .object = object,
                               .site = e->site,
                               .stack = e->stack,
                               .occurrence = b->occurrence,
                               .event = e->number};
}

#endif
