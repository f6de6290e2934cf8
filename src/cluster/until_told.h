/* SPDX-License-Identifier: Apache-2.0
 *
 * Waiting for the end of a child or for a signal to end, whichever comes first. Both are held back until they are
 * waited for: one that came just before would be waited for in vain.
 */
#ifndef HEDDLE_CLUSTER_UNTIL_TOLD_H
#define HEDDLE_CLUSTER_UNTIL_TOLD_H

#include <signal.h>
#include <stdbool.h>

static inline sigset_t told_by(void)
{
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGCHLD);
  return signals;
}

/* From now on; what a child is to begin with is in before. */
static inline void told_begin(sigset_t *before)
{
  const sigset_t signals = told_by();
  sigprocmask(SIG_BLOCK, &signals, before);
}

/* True: to end. False: a child may have ended. */
static inline bool told_wait(void)
{
  const sigset_t signals = told_by();
  int number = sigwaitinfo(&signals, NULL);
  return number == SIGTERM || number == SIGINT;
}

#endif
