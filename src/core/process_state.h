/* SPDX-License-Identifier: Apache-2.0
 *
 * The tested process itself: why it ended, how the next one is to be started, and the units of work that it
 * gets. */
#ifndef HEDDLE_CORE_PROCESS_STATE_H
#define HEDDLE_CORE_PROCESS_STATE_H

#include <stdint.h>

/* Why the tested process ended, or that it has not. */
enum worker_state {
  WORKER_STARTING, /* set by the command line before each start */
  WORKER_RUNNING,  /* executing */
  WORKER_AGAIN, /* one execution done; start me again (exec mode), or with the new reset, pool_threads or stack_size in
                   `wish` */
  WORKER_DONE,  /* all executions asked for were run, or the strategy has no more, or a bug stopped it */
  WORKER_DIVERGED, /* replay: the program did not follow the schedule; `error` says where */
  WORKER_FAILED,   /* heddle cannot do it; `error` says what and why */
  WORKER_HANDED    /* exhaustive search: handed in, waits for the next unit; the command line sets WORKER_RUNNING */
};

struct work {
  uint32_t shared;          /* set by the command line: units are given and handed in */
  volatile uint32_t given;  /* a unit is in its area, not yet begun */
  volatile uint32_t asked;  /* hand in after this execution */
  volatile uint32_t learnt; /* with WORKER_HANDED: more memory is shared than was known; nothing else is handed in */
  int32_t listener;         /* set by the command line: the process that is told of it (session/news.h); 0: none */
  volatile uint64_t worked; /* nanoseconds of the processor since the unit was given, as of some executions ago */
  uint32_t scattered;       /* set by the command line: every process has its parts at other addresses */
  uint64_t layout;          /* of the process before (worlds/threads/memory/names.h) */
};

struct wish {
  uint32_t reset;        /* enum reset_mode to go on with */
  uint32_t pool_threads; /* threads to prepare */
  uint64_t stack_size;   /* of each */
  char reason[256];      /* one sentence for the user, empty for a silent restart */
};

#endif
