/* SPDX-License-Identifier: Apache-2.0
 *
 * The control block: what the command line and one tested process say to each other.
 *
 * It is the start of a shared mapping (a memfd) that outlives the tested process: the engine keeps in it all that must
 * survive an execution, so the same state serves executions in place, in forked children and in fresh processes, and
 * a process that dies leaves everything behind. The command line fills in `config` before it starts a process and
 * reads the rest at any time; only the tested process writes the rest. No pointers: the command line maps it elsewhere.
 *
 * Behind the block, in the same mapping, follow areas (areas.h).
 */
#ifndef HEDDLE_CORE_CONTROL_H
#define HEDDLE_CORE_CONTROL_H

#include "core/address_name.h"
#include "core/areas.h"
#include "core/bug.h"
#include "core/config.h"
#include "core/coverage.h"
#include "core/debugger_state.h"
#include "core/exits.h"
#include "core/loss.h"
#include "core/ordering.h"
#include "core/outside.h"
#include "core/process_state.h"
#include "core/property.h"
#include "core/schedule.h"
#include "core/threadset.h"
#include "core/trace_event.h"
#include "core/uncovered.h"
#include <stdbool.h>
#include <stdint.h>

#define CONTROL_MAGIC UINT32_C(0x6c644448)
#define CONTROL_SEAL                                                                                                   \
  UINT64_C(0x6865646c65736561)       /* between its parts: a wild pointer that writes across them breaks it */
#define CONTROL_ENV "HEDDLE_CONTROL" /* "<fd of the control mapping>,<fd of the shadow mapping>" */
#define ROOM_ENV "HEDDLE_ROOM"       /* fills the room above main's stack (session/launch.h) */
#define STRESS_ENV                                                                                                     \
  "HEDDLE_STRESS" /* without it: of 100 hooks, how many pause (worlds/threads/process/stress_pauses.h) */

#define CONTROL_BUGS 128
#define CONTROL_ASIDES 64 /* of them, at most, end no execution: those that do always have room */
#define CONTROL_HOTSPOTS 64
#define UNSEEN_CALL 256 /* a longer name is cut */

/* Stores that later loads can overtake: atomic ones, and plain ones whose races the program excuses. */
enum { WEAK_ATOMIC = 1, WEAK_EXCUSED = 2 };

struct control {
  uint32_t magic;
  uint32_t version; /* sizeof(struct control): command line and library must be of one build */
  struct control_config config;

  /* Progress. */
  volatile uint32_t state;        /* enum worker_state */
  volatile uint32_t stop;         /* set by the command line: end after this execution */
  volatile uint32_t reset;        /* the mode in use, enum reset_mode */
  volatile uint32_t in_execution; /* an execution is under way */
  volatile uint64_t execution;    /* number of the current or last one */
  volatile uint64_t executions;   /* complete executions so far */
  volatile uint64_t cut;          /* executions heddle ended itself */
  volatile uint32_t in_vain;      /* those for which max_steps was raised as far as it may be */
  volatile uint32_t assumed;      /* one of them because an assumption did not hold (hd_assume) */
  volatile uint64_t blocked;      /* executions that a strategy abandoned (PICK_BLOCKED) */
  volatile uint64_t restarts;     /* how often an exhaustive search began anew, having learnt more */
  volatile uint32_t finished;     /* exhaustive search: nothing is left to explore */
  volatile uint32_t bounded;      /* but for what lies beyond the bound */
  volatile uint64_t incomplete;   /* but for what the search lost: a set of LOST_* (loss.h) */
  volatile uint64_t losses;       /* what any search loses with this program, likewise */
  volatile uint32_t weak_stores;  /* it has stores that are not sequentially consistent: a set of WEAK_* */
  struct uncovered uncovered;     /* what LOST_CAUSALITY is about */
  volatile uint64_t steps;        /* over all executions */
  volatile uint64_t asking;       /* nanoseconds of the processor, of strategies that ask between executions */
  volatile uint64_t heartbeat;    /* grows with every scheduling point: a process that stands still is stuck */
  volatile uint64_t trace_hash;   /* of the last execution */
  volatile uint64_t session_hash; /* over the hashes of all executions */
  volatile uint64_t max_steps_seen;
  volatile uint64_t max_threads_seen;

  struct work work; /* an exhaustive search in units */
  struct wish wish; /* how the next process is to be started */

  char error[512]; /* one line, with WORKER_FAILED and WORKER_DIVERGED */
  uintptr_t error_pc;

  struct outside outside; /* an execution ended where only something outside the program could have let it go on */
  struct client_report client;

  /* A stuck process, asked by SIGURG, says where it stands. */
  volatile uint32_t stuck_answered;
  struct bug_party stuck;
  int64_t stuck_syscall; /* number of the system call it is in, -1 for none */

  struct debugger debugger;

  uint64_t seal_before_bugs; /* CONTROL_SEAL, set by the command line and looked at before it reads what is there */
  uint32_t bugs;
  uint32_t bugs_left_out; /* there were more than there is room for */
  struct bug bug[CONTROL_BUGS];

  struct exits exits;
  uint64_t job_bytes[JOB_PART_COUNT]; /* of each part, 0 for none */
  volatile uint64_t answer_bytes[ANSWER_PART_COUNT];

  uint32_t hotspots;
  struct hotspot hotspot[CONTROL_HOTSPOTS];
  struct orderings orderings;
  uint32_t property_events[PROPERTIES]; /* of each, those that came in some execution; sets */

  uint64_t seal_before_threads;

  /* The last execution. */
  uint32_t threads;
  struct thread_info thread[MAX_THREADS];
  uint64_t trace_events; /* recorded or counted */
  uint32_t trace_left;   /* behind them: what each thread was about to do when it ended */
  uint64_t output_bytes; /* in the output area: of the last execution, or of all */
  uint64_t maps_bytes;
  uint64_t image_maps_bytes[IMAGES]; /* [0] is never used */
  char unseen_assembly[128]; /* "file:line: instruction" that accesses memory heddle does not see; empty for none */
  uint64_t seal_after_threads;
  uint32_t modules; /* of the process whose map it is, and where they are: address less address in the file */
  uint64_t module_bias[NAME_MODULES];
  char opaque[64];    /* a library that synchronises unseen, so that races need more proof; empty for none */
  char unhooked[256]; /* modules whose accesses are not seen; empty for none (memory/hooked_modules.h) */
  /* functions of the C library, and mangled names of the C++ library's, likewise (libc/library_calls.h) */
  char unseen_calls[4 * UNSEEN_CALL];

  uint64_t pool_used;     /* bytes of the schedule pool */
  uint64_t best_schedule; /* shrink, localise, minimise: offset in the pool of the one that is kept, ~0 for none */
};

/* The job as it stands in the mapping. */
static inline struct job control_job(struct control *c)
{
  return (struct job){.config = &c->config,
                      .answered = c->answer_bytes,
#define X(id, most) .part[JOB_##id] = CONTROL_AT(c, JOB_##id##_OFFSET), .bytes[JOB_##id] = c->job_bytes[JOB_##id],
                      HD_JOB_PARTS(X)
#undef X
#define X(id, most) .answer[ANSWER_##id] = CONTROL_AT(c, ANSWER_##id##_OFFSET),
                          HD_ANSWER_PARTS(X)
#undef X
  };
}

#endif
