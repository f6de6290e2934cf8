/* SPDX-License-Identifier: Apache-2.0
 *
 * Free runs: the program as a process of its own, with real threads, scheduled by the kernel, until it ends, deadlocks
 * or takes too long. It is watched from outside only. What it prints is kept, not shown, and read for failed
 * assertions.
 */
#ifndef HEDDLE_CLI_FREERUN_H
#define HEDDLE_CLI_FREERUN_H

#include "report/document/stress_document.h"
#include "session/target.h"
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* All that is the same for every run. */
struct free_program {
  const char *path;
  const char *folder; /* NULL: ours */
  char **argv;
  char **envp[STRESS_MODES];
  char *preload_text, *stress_text; /* the entries that are ours */
  int input_fd;                     /* what it reads, -1: nothing */
  int null_fd;
};

/* yields: of 100 hooks, how many pause in STRESS_YIELDS. False: an error was printed, nothing is left to close. */
bool free_open(struct free_program *program, const struct target *target, unsigned yields);
void free_close(struct free_program *program);

#define FREE_TAIL 8192

struct free_run {
  pid_t pid; /* 0: none */
  enum stress_mode mode;
  uint64_t number;
  double started;
  int end_fd; /* readable when the process has ended */
  int output_fd;
  double looked_at; /* when all its threads were seen to wait, 0: they were not */
  uint64_t progress;
  size_t tail_used;
  char tail[FREE_TAIL]; /* the end of what it printed */
};

/* False: an error was printed. */
bool free_start(struct free_run *run, const struct free_program *program, enum stress_mode mode, uint64_t number);

/* Takes what it printed, and looks how it does. True: it is over, with *outcome filled in. hang: seconds it may
 * take. */
bool free_look(struct free_run *run, double hang, unsigned right_status, bool any_status,
               struct stress_outcome *outcome);

/* Ends it and all it started. */
void free_kill(struct free_run *run);

#endif
