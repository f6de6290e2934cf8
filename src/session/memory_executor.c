/* SPDX-License-Identifier: Apache-2.0
 *
 * The executor over shared memory: the tested process has the worker's memory, so jobs and answers are where they
 * belong from the start. It sleeps on its state between two jobs.
 */
#include "session/executor.h"
#include "session/worker.h"
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

static void wake(struct worker *w, uint32_t state)
{
  w->control->state = state;
  syscall(SYS_futex, &w->control->state, FUTEX_WAKE, 1, NULL, NULL, 0);
}

static int start(struct worker *w, const struct session_request *request, const struct launch *launch)
{
  (void)request;
  return worker_start(w, launch);
}

static void give(struct worker *w)
{
  wake(w, WORKER_RUNNING);
}

static void ask(struct worker *w)
{
  w->control->work.asked = 1;
}

static void stop(struct worker *w)
{
  w->control->stop = 1;
}

static void let_go(struct worker *w)
{
  wake(w, WORKER_DONE);
}

const struct executor executor_memory = {.start = start, .give = give, .ask = ask, .stop = stop, .let_go = let_go};
