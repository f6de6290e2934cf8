/* SPDX-License-Identifier: Apache-2.0
 *
 * Schedules: who ran how far before whom, and which choices were made. They mean the same in every process: threads are
 * known by who created them, places by name.
 */
#ifndef HEDDLE_CORE_SCHEDULE_H
#define HEDDLE_CORE_SCHEDULE_H

#include <stdint.h>

/* The number of a task that is no thread of the program's, the clock, among main's children, which are fewer. */
#define TASK_NUMBER 1000 /* the clock; others that are no threads follow */
#define LATER_CLOCKS 100 /* after it: the second clock, that of another process, and so on */

struct thread_info {
  uint32_t parent;   /* index of the thread that created it; itself for main */
  uint32_t nth;      /* it is its parent's nth child, from 1; 0 for main */
  uint64_t process;  /* of the program, by number: 0 is the one that was started */
  uintptr_t start;   /* start routine */
  uintptr_t made_at; /* where it was created or forked */
  uint32_t image;    /* which program it runs, by number: 0 is the one that was started (address_name.h) */
  char name[16];     /* given by the program, or empty */
};

/* The program knows its threads and processes by this and their number (a process by its first thread's). Above the
 * kernel's largest: glibc hands us real thread ids too. */
#define VIRTUAL_PID 4242424

/* One uninterrupted run of a thread: it executes `operations` operations and is then about to do `op` at `pc`. The
 * last segment of a schedule ends with the execution; its count includes the operation during which that happened. */
struct segment {
  uint32_t thread;  /* index into the schedule's own thread table (parents before children, main is 0) */
  uint16_t op;      /* enum op_kind */
  uint16_t enabled; /* 1 if the thread could have gone on: the switch was a preemption */
  uint64_t operations;
  uint64_t pc; /* its name (core/address_name.h), once the schedule is written */
};

struct schedule_thread {
  uint32_t parent;
  uint32_t nth;
  uint64_t process;
};

/* A schedule in the pool: this header, then threads, then segments, then choices (struct data_choice). */
struct schedule_record {
  uint64_t bytes; /* of the whole record */
  uint64_t hash;  /* trace hash */
  uint32_t threads;
  uint32_t segments;
  uint32_t choices;
  uint32_t strategy; /* enum strategy_id that really made it */
  uint64_t execution;
  uint64_t punctual; /* sleeps and timeouts ended only when nothing else could go on */
};

struct data_choice {
  uint32_t n;
  uint32_t value;
};

static inline struct schedule_thread *schedule_threads(struct schedule_record *r)
{
  return (struct schedule_thread *)(r + 1);
}

static inline struct segment *schedule_segments(struct schedule_record *r)
{
  return (struct segment *)(schedule_threads(r) + r->threads);
}

static inline struct data_choice *schedule_choices(struct schedule_record *r)
{
  return (struct data_choice *)(schedule_segments(r) + r->segments);
}

#endif
