/* SPDX-License-Identifier: Apache-2.0
 *
 * The world of threads, as the engine sees it: whether a pending operation can be performed now. The rules themselves
 * stand with each primitive's model.
 */
#include "runtime/barrier.h"
#include "runtime/call.h"
#include "runtime/cond.h"
#include "runtime/futex.h"
#include "runtime/mutex.h"
#include "runtime/once.h"
#include "runtime/runtime.h"
#include "runtime/rwlock.h"
#include "runtime/sem.h"
#include "runtime/signals.h"
#include "runtime/spin.h"
#include "runtime/thread.h"

/* A thread that a signal waits for can always run its handler, whatever it is blocked on. */
bool world_enabled(unsigned thread, const struct operation *op)
{
  return signals_wait_for(thread) || world_permits(thread, op);
}

bool world_permits(unsigned thread, const struct operation *op)
{
  switch (op->kind) {
  case OP_MUTEX_LOCK:
    return mutex_enabled(thread, op);
  case OP_COND_WAKE:
  case OP_COND_TIMEDWAKE:
  case OP_COND_DESTROY:
    return cond_enabled(thread, op);
  case OP_JOIN:
    return join_enabled(op) || cancel_wanted(thread);
  case OP_RWLOCK_RDLOCK:
  case OP_RWLOCK_WRLOCK:
    return rwlock_enabled(thread, op);
  case OP_SPIN_LOCK:
    return spin_enabled(op);
  case OP_SEM_WAIT:
    return sem_enabled(op) || cancel_wanted(thread);
  case OP_BARRIER_LEAVE:
  case OP_BARRIER_DESTROY:
    return barrier_enabled(thread, op);
  case OP_ONCE_ENTER:
    return once_enabled(op);
  case OP_FUTEX_BLOCK:
    return futex_enabled(thread, op);
  case OP_SIGNAL_WAIT:
    return signal_ready(thread, op) || cancel_wanted(thread);
  case OP_FD_WAIT:
    return fd_ready(op) || cancel_wanted(thread);
  default:
    return true;
  }
}
