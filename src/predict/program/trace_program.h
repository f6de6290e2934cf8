/* SPDX-License-Identifier: Apache-2.0
 *
 * Trace programs: what is left of a recorded run when only synchronisation counts. Each thread becomes a straight line
 * of code over locks, condition variables, semaphores, barriers and predicates; waits and signals that a predicate
 * guards are there whether they happened or not. All other computation is gone, control flow is frozen to what was
 * observed. Small enough to be searched through (model.h).
 *
 * A program is built from the events of a trace in their order, and shrinks while it is built: a region of nothing but
 * taking and releasing locks keeps each distinct nesting once, so loops do not make it grow. At the end, locks that a
 * single thread uses go, too, and signals and predicates that nobody can notice.
 *
 * Where predicates come from: the program says what they are (heddle.h, events predicate, cond-guard-… and guard-end),
 * or they were inferred from another pass over the trace (guards.h).
 *
 * How lines follow from events that the source has no word for: a lock taken by an attempt that can fail (LINE_TRIES)
 * is taken if it is free, else everything up to its release is left out. A recursive mutex that is held more than once
 * is not released by a wait. pthread_once is a lock held while the function runs. A condition variable of another
 * process, a signal handler, cancellation: not covered. A thread that was blocked when the process ended stops before
 * that.
 */
#ifndef HEDDLE_PREDICT_TRACE_PROGRAM_H
#define HEDDLE_PREDICT_TRACE_PROGRAM_H

#include "predict/trace/trace.h"
#include <stdio.h>

/* X(constant, name in listings) */
#define HD_LINES(X)                                                                                                    \
  X(ACQ, "ACQ")     /* take the lock */                                                                                \
  X(SHARE, "SHARE") /* take the read-write lock for reading */                                                         \
  X(REL, "REL")                                                                                                        \
  X(WAIT, "WAIT")   /* on object, releasing second meanwhile */                                                        \
  X(TWAIT, "TWAIT") /* the same, may time out */                                                                       \
  X(SIG, "SIG")                                                                                                        \
  X(BCAST, "BCAST")                                                                                                    \
  X(START, "START") /* object is a thread */                                                                           \
  X(JOIN, "JOIN")                                                                                                      \
  X(DOWN, "DOWN") /* a semaphore */                                                                                    \
  X(UP, "UP")                                                                                                          \
  X(MEET, "MEET") /* at a barrier */                                                                                   \
  X(SET, "SET")   /* variable object := value */                                                                       \
  X(ADD, "ADD")   /* variable object += value */                                                                       \
  X(IF, "IF")     /* unless the predicate object holds, go on after its END */                                         \
  X(END, "END")

enum line_kind {
#define X(id, name) LINE_##id,
  HD_LINES(X)
#undef X
      LINE_KIND_COUNT
};

enum {
  LINE_TRIES = 1,     /* an attempt that cannot block */
  LINE_SYNTHETIC = 2, /* it did not happen, its guard was false; site and occurrence are the guard's */
  LINE_READER = 4,    /* of REL: it was held for reading */
  LINE_WAITS = 8,     /* of IF: guards a wait */
  LINE_LOOPS = 16,    /* of END: back to its IF */
  LINE_ELSEWHERE = 32 /* of what did not happen: its own place is not known */
};

struct program_line {
  uint8_t kind; /* enum line_kind */
  uint8_t flags;
  uint16_t op;     /* enum op_kind it stands for */
  uint32_t object; /* of the trace's tables; a thread; a predicate or variable of the program */
  uint32_t second; /* the mutex of a wait, 0: none is released */
  int64_t value;   /* of SET and ADD */
  uint32_t site, stack;
  uint32_t occurrence; /* which of the thread's operations of that kind at that site it is, from 1 */
  uint32_t jump;       /* IF: the line after its END; END: its IF; TRIES: the line after the release */
  uint64_t event;      /* its number */
};

struct body {
  struct program_line *line;
  uint32_t count, room;
  bool started; /* by a line of another thread */
};

/* What predicates are about: the value of one that the program declared, or memory. */
struct program_variable {
  uint32_t object; /* the declared predicate, or 0 */
  uint32_t word;   /* variables of one predicate share a word: the search looks at words */
  int64_t starts;  /* its value before anything happens */
};

struct program_predicate {
  uint32_t object;          /* that the program declared, or 0 */
  uint32_t guard;           /* instance that was inferred (guards.h), or 0 */
  uint32_t site;            /* of inferred ones: where it is looked at */
  uint32_t variable, other; /* other: 0 for none */
};

struct trace_program {
  struct body *body; /* by thread of the trace; 0 is none */
  uint32_t threads;  /* entries */
  struct program_predicate *predicate;
  uint32_t predicates; /* entries, 0 is none */
  struct program_variable *variable;
  uint32_t variables;
  const struct guards *guards; /* that it was built with */
  uint32_t objects;            /* entries of the next ones */
  uint32_t *units;             /* of a semaphore at the start; threads that meet at a barrier */
  uint64_t before;             /* lines without any reduction, and what is left */
  uint64_t after;
  bool ends_with_main; /* the process ends when the first thread is through: it returned from main */
  bool truncated;      /* longer than PROGRAM_LINES: the rest of the run is not in it */
  bool failed;         /* no memory */
  char problem[192];   /* one sentence about annotations that do not match, or empty */
};

#define PROGRAM_LINES (1u << 20) /* of all threads, before the last reduction */

struct guards;

struct program_options {
  bool loop_guards;            /* a guarded wait is tried again when its predicate still holds */
  const struct guards *guards; /* inferred conditions, or NULL; to be kept as long as the program */
};

struct program_builder;
struct program_builder *program_begin(const struct program_options *options); /* NULL: no memory */
void program_event(struct program_builder *b, const struct trace *t, const struct event *e);
/* Ends the builder. NULL: no memory. */
struct trace_program *program_end(struct program_builder *b, const struct trace *t);
void program_free(struct trace_program *p);

/* Whether the predicate holds when variables have these values. */
bool program_holds(const struct trace_program *p, uint32_t predicate, const int64_t *value);

/* A listing, thread by thread, with the places of the source. */
void program_write(const struct trace_program *p, const struct trace *t, FILE *out);
/* "ACQ lock", "IF full {" */
void program_line_text(const struct trace_program *p, const struct trace *t, const struct program_line *line, char *out,
                       size_t size);

extern const char *const line_name[LINE_KIND_COUNT];

#endif
