/* SPDX-License-Identifier: Apache-2.0
 *
 * One worker: the memory shared with the tested process, and that process, started once or many times.
 *
 * It knows how to start, to ask, to end and to read a process; when to do so is the supervisor's. What is read from the
 * shared memory is checked before use: a wild pointer of the tested program may have written there.
 */
#ifndef HEDDLE_SESSION_WORKER_H
#define HEDDLE_SESSION_WORKER_H

#include "core/control.h"
#include "session/launch.h"
#include "session/message.h"
#include "session/planner.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct executor;

struct worker {
  const struct executor *executor;
  struct control *control;      /* CONTROL_SEEN_SIZE bytes; NULL when handed on */
  struct control_config config; /* as it was given: what the block has must be the same */
  int control_fd;
  int shadow_fd;
  int output_fd; /* what the process prints behind the runtime's back */
  int pidfd;     /* -1: no process */
  bool told;     /* pidfd says when it ends; else ask worker_has_ended() */
  pid_t pid;
  bool started;      /* at least once */
  bool finished;     /* will not be started again */
  bool killed;       /* by us */
  uint64_t seen;     /* sign of life at the last look */
  double still;      /* seconds without one */
  double asked;      /* when it was asked where it is, 0 for not yet */
  uint64_t progress; /* executions at the last death or restart */
  unsigned deaths;   /* in a row without progress */
  unsigned restarts; /* in a row without progress */

  uint64_t corpus_taken; /* entries of its corpus that are known here (corpus.h) */

  /* Jobs of a planner (share.c). */
  bool busy; /* it has one */
  struct ticket ticket;
  double done, done_in; /* executions of its last jobs, and their seconds: what it is told to do in a second */

  /* With an executor over a socket (socket_executor.c): */
  struct wire wire;             /* to the process that has it done */
  struct message_ending ending; /* what that said at last */
  char *error_output;           /* and what the program had said, if it failed */
  size_t error_output_bytes;
};

/* New memory after its process died in the middle of something; what was learnt about how to run the program stays.
 * False, with one line in error: the worker keeps the memory it had, but cannot be started any more. */
bool worker_renew(struct worker *worker, const void *input, size_t input_bytes, char *error, size_t error_size);

/* Its memory becomes that of `part`, which has no process, and it gets new memory. False, with one line in error: it
 * has what it had. */
bool worker_part(struct worker *worker, struct worker *part, const void *input, size_t input_bytes, char *error,
                 size_t error_size);

/* Makes the shared memory and fills it in. False, with one line in error; nothing is left to close. */
bool worker_open(struct worker *worker, const struct executor *executor, const struct control_config *config,
                 const void *input, size_t input_bytes, char *error, size_t error_size);

/* Ends the process if there is one, and lets go of everything. */
void worker_close(struct worker *worker);

/* A part of the job; it must not be larger than such a part can be (core/job.h). */
void worker_give(struct worker *worker, enum job_part part, const void *bytes, size_t size);

/* A part of the answer, and its size, whatever the block says; NULL: there is none. */
const void *worker_answer(const struct control *control, enum answer_part part, uint64_t *bytes);
/* Whether it has a job and has answered. */
bool worker_has_answered(const struct worker *worker);
/* All parts, and its counts. */
void worker_read_answer(const struct worker *worker, struct answer *answer);

/* Takes it away, with its memory. The process waits, or there is none. */
void worker_drop_answer(struct worker *worker, enum answer_part part);

/* Starts the tested program. 0, or an errno. */
int worker_start(struct worker *worker, const struct launch *launch);

/* A process is about to be started; it was, and from now on it is known when it ends. False: errno says why not. */
void worker_starts(struct worker *worker);
bool worker_watch(struct worker *worker, pid_t pid);

/* Whether there is a process that has ended and is not collected yet. */
bool worker_has_ended(const struct worker *worker);

/* Kills the process and all it started. */
void worker_kill(struct worker *worker);

/* After pidfd said so: collects the ended process and all it left behind. Returns its wait status. */
int worker_reap(struct worker *worker);

/* What was printed behind the runtime's back, malloc'ed; NULL for nothing. */
char *worker_output(const struct worker *worker, size_t *bytes);

/* A copy of the schedule at that offset of the pool, malloc'ed; NULL when there is none. */
struct schedule_record *worker_schedule(const struct worker *worker, uint64_t offset);

/* Whether the block is as the runtime leaves it: not when the program has written over it. */
bool worker_is_intact(const struct worker *worker);

/* After its process ended: nothing is known of it any more. */
void worker_wipe(struct worker *worker);

/* After its process ended: ends all texts and bounds all numbers that are used without asking. */
void worker_tidy(struct worker *worker);

/* A copy of the n-th bug that is safe to read. */
void worker_bug(const struct worker *worker, uint32_t n, struct bug *bug);
uint32_t worker_bug_count(const struct worker *worker);

/* Why something could not be started or opened for it, and what helps. */
const char *start_problem(int error);

#endif
