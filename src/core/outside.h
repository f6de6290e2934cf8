/* SPDX-License-Identifier: Apache-2.0
 *
 * The outside of the program: that it waits for it, and the client that is started then (--client). What the command
 * line and the tested process tell each other about them.
 */
#ifndef HEDDLE_CORE_OUTSIDE_H
#define HEDDLE_CORE_OUTSIDE_H

#include <stdint.h>

struct outside {
  volatile uint32_t known;
  uint32_t likely;  /* not at its end, but at the step limit, and the program may still go on by itself */
  uint32_t process; /* another process, not the world at large */
  uint32_t thread;
  int64_t call; /* the system call it waits in, -1 for none */
  uintptr_t pc;
  char at[160]; /* what it waits at, in words; empty: not known */
};

/* The client of an execution (--client). What follows what is decided by the side in brackets. */
enum client_state {
  CLIENT_NONE,   /* not started in this execution [runtime, or the command line after CLIENT_OVER] */
  CLIENT_WANTED, /* the program waits for the outside [runtime] */
  CLIENT_RUNS,   /* [command line] */
  CLIENT_ENDED,  /* by itself, with `status` [command line] */
  CLIENT_OVER    /* the execution is over, end it [runtime] */
};

/* Why the search ended although there is a client. */
enum client_failure {
  CLIENT_FAILED_NOT,
  CLIENT_NEVER_CAME, /* it ended, and the program still waits for the first sign of it */
  CLIENT_SILENT      /* it runs, and the program waits for it for too long */
};

struct client_report {
  volatile uint32_t state;  /* enum client_state */
  volatile int32_t status;  /* of its end, as waitpid tells it */
  volatile uint32_t failed; /* enum client_failure */
};

#endif
