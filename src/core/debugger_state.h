/* SPDX-License-Identifier: Apache-2.0
 *
 * A replay under a debugger: where it is to stand, and where it does.
 */
#ifndef HEDDLE_CORE_DEBUGGER_STATE_H
#define HEDDLE_CORE_DEBUGGER_STATE_H

#include <stdint.h>

/* Why the process stands still for a debugger. */
enum debugger_reason {
  STANDS_NOT,
  STANDS_AT_START, /* the execution is about to begin: time to say where to stand next */
  STANDS_AT_STEP,  /* right before a step that was asked for */
  STANDS_AT_BUG,   /* a bug was declared; the thread that shows it has not been left yet */
  STANDS_AT_END    /* the execution is over */
};

/* A traced replay under a debugger (worlds/threads/process/debugger.c), which sets where to stand and reads where it
 * stands. */
struct debugger {
  uint32_t attached;    /* set by the command line */
  uint32_t reason;      /* enum debugger_reason */
  uint64_t bug_key;     /* a bug to stand at even if it does not end the execution, 0 for none */
  uint64_t stop_step;   /* stand before the first recorded step of this number or more, 0 for none */
  uint64_t stop_switch; /* stand before the first one after so many context switches, 0 for none */
  uint64_t step;        /* it is about to do, or did last */
  uint64_t switches;    /* so far */
  uint64_t switch_step; /* the first step after the last of them, 0 for none */
};

#endif
