/* SPDX-License-Identifier: Apache-2.0
 *
 * Recorded runs, as the analyses see them: a stream of events, read once from front to back, and tables of what events
 * speak of, which grow as the stream goes on. An analysis keeps what it needs of the events it saw; events themselves
 * are not kept, so a trace may be far larger than memory.
 *
 * Index 0 of every table stands for "none".
 */
#ifndef HEDDLE_PREDICT_TRACE_H
#define HEDDLE_PREDICT_TRACE_H

#include "core/event_flags.h"
#include "core/naming.h"
#include "core/operation.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct event {
  uint64_t number; /* from 1 */
  uint32_t thread;
  uint16_t op;   /* enum op_kind */
  uint8_t order; /* __ATOMIC_*, of atomic operations */
  uint8_t flags;
  uint32_t object; /* a lock, a condition variable, …; of memory operations 0 */
  uint32_t second; /* the mutex of a condition wait; of calls the function */
  uint32_t site;   /* where */
  uint32_t stack;  /* the calls that led there */
  uint32_t other;  /* thread created, joined, ended */
  uint32_t length; /* bytes of a memory operation */
  uint64_t addr;   /* of memory operations */
  uint64_t value;  /* of accesses up to 8 bytes: read, or written; of calls: the result */
  uint64_t cause;  /* of wake-ups: number of the event that woke it (signal, broadcast), 0 if it is not known */
};

#define FOLLOWED_MOST (UINT32_C(1) << 16)

/* Bytes of an access that the analyses follow: they keep something for every eight, so what a copy of more than
 * FOLLOWED_MOST touches is not known to them beyond that. Freed memory counts whole. */
static inline uint32_t event_followed(const struct event *e)
{
  return e->op == OP_FREE || e->length < FOLLOWED_MOST ? e->length : FOLLOWED_MOST;
}

struct trace_site {
  const char *module; /* last part of its path, or NULL */
  uint64_t offset;    /* as the module's file has it; a line number in traces written by hand */
  uint64_t place;     /* a number that holds in every process */
  const char *text;   /* "bank.c:22"; never NULL */
};

struct trace_stack { /* innermost first: sites[0] is the caller of the function that the event is in */
  uint32_t depth;
  const uint32_t *sites;
};

struct trace_thread {
  uint32_t parent;  /* 0 for the first */
  uint32_t create;  /* site of its creation */
  const char *text; /* "main", "T1", "T1.2", or the name the program gave it */
  struct origin origin;
};

struct trace_object {
  uint16_t kind;       /* enum object_kind */
  uint16_t type;       /* PTHREAD_MUTEX_* and the like */
  uint32_t generation; /* objects at the same address one after the other */
  uint64_t addr;
  const char *text; /* "lock", "q->lock", "mutex from queue.c:12" */
  struct origin origin;
};

struct trace_memory {
  uint64_t addr;
  uint32_t length;
  const char *text; /* "counter", "q->head" */
};

/* A function whose calls are watched (OP_CALL): a method of a type of objects. */
struct trace_function {
  const char *name; /* "conn_send" */
  const char *type; /* "conn"; functions of the same type are one protocol */
};

struct trace {
  const struct trace_site *sites;
  const struct trace_stack *stacks;
  const struct trace_thread *threads;
  const struct trace_object *objects;
  const struct trace_memory *memory; /* in the order of first use */
  uint32_t memory_count;
  uint32_t site_count, stack_count, thread_count, object_count; /* entries, the one of index 0 included */
  const char *program;                                          /* may be NULL */
  const struct trace_function *functions;
  uint32_t function_count; /* likewise */
};

/* The name of a thread or object. */
static inline uint64_t trace_thread_name(const struct trace *t, uint32_t thread, enum naming naming, unsigned k)
{
  return naming_of(&t->threads[thread].origin, naming, k);
}

static inline uint64_t trace_object_name(const struct trace *t, uint32_t object, enum naming naming, unsigned k)
{
  return naming_of(&t->objects[object].origin, naming, k);
}

/* What is known of the eight bytes around an address: a name, or NULL. */
const char *trace_memory_name(const struct trace *t, uint64_t addr);

/* Reading a file: the binary form that heddle record writes, or the text form (trace_text.c). NULL with one line in
 * error. */
struct trace_reader;
struct trace_reader *trace_open(const char *path, char *error, size_t error_size);
void trace_close(struct trace_reader *reader);
const struct trace *
trace_tables(const struct trace_reader *reader); /* valid until close; its arrays move as it grows */
/* True: *event is the next one. False: the end, or what is wrong, then error is not empty. */
bool trace_next(struct trace_reader *reader, struct event *event, char *error, size_t error_size);

/* Another reader of the same file, at its beginning: for analyses that must read it more than once. NULL with one line
 * in error; never for what is only in memory. */
struct trace_reader *trace_again(const struct trace_reader *reader, char *error, size_t error_size);

/* The text form from memory, for tests. */
struct trace_reader *trace_from_text(const char *text, char *error, size_t error_size);

#endif
