/* SPDX-License-Identifier: Apache-2.0
 *
 * Abstract schedules: which read is to see which write, and which not. They say nothing of all other steps, so that
 * many executions keep one. Places in the code and in memory are in them by name (world.h), threads by how they came to
 * be (core/thread_path.h): they mean the same in every process of one program, and in a file.
 *
 * A corpus is a list of those that showed something new, which only grows: who writes it adds an entry first and counts
 * it then, so that others can read it meanwhile.
 */
#ifndef HEDDLE_CORE_ABSTRACT_SCHEDULE_H
#define HEDDLE_CORE_ABSTRACT_SCHEDULE_H

#include <stdint.h>

#define CONSTRAINTS_MOST 8
#define PAIRS_MOST 12
#define CORPUS_ENTRIES 1024

/* A read or a write. No place: what was there at first. */
struct abstract_event {
  uint64_t place;  /* in the code, by name */
  uint64_t thread; /* 0: of any */
  uint32_t nth;    /* time that the thread comes there, from 1; 0: any */
  uint32_t kind;   /* enum op_kind */
};

/* What a constraint asks for. Only the first is part of a corpus; all can be told. */
enum asked {
  ASKED_SIGHT,   /* the read sees that write */
  ASKED_CHOICE,  /* the first event chooses that value: `location` */
  ASKED_AT_ONCE, /* both events are about to come */
  ASKED_WAITS    /* the first event waits, and nobody can go on */
};

struct constraint {
  struct abstract_event read, write;
  uint64_t location; /* of the memory or the object, by name */
  uint32_t negative; /* the read is not to see that write */
  uint32_t asked;    /* enum asked */
};

struct abstract_schedule {
  uint32_t constraints; /* how many; 0: it asks for nothing */
  uint32_t pairs;       /* that it was the first to show */
  struct constraint constraint[CONSTRAINTS_MOST];
  uint64_t pair[PAIRS_MOST]; /* the first of them, as numbers */
};

struct corpus_area {
  volatile uint64_t count;
  struct abstract_schedule entry[CORPUS_ENTRIES];
};

/* What was tried in an execution that showed a bug (attempt.h). */
#define ATTEMPTS_MOST 128
struct schedule_attempt {
  uint64_t bug_key;
  struct abstract_schedule schedule;
};

struct tried_area {
  volatile uint64_t count;
  struct schedule_attempt attempt[ATTEMPTS_MOST];
};

#endif
