/* SPDX-License-Identifier: Apache-2.0
 *
 * Futexes: what std::atomic::wait, libgomp, libc's own locks and hand-written ones block on, reached through
 * syscall() or through the filter. A wait is two operations: compare the word, and sleep until woken. Which sleeper a
 * wake-up reaches is a choice. Words that inherit priorities are handed to the next owner by the one before.
 */
#include "worlds/threads/model/futex.h"
#include "worlds/threads/memory/atomics.h"
#include "worlds/threads/runtime.h"
#include "worlds/threads/system/own_numbers.h"
#include "worlds/threads/system/punctual.h"
#include "worlds/threads/thread/scheduling.h"
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>

static struct object *futex_object(const uint32_t *word)
{
  return object_at(word, OBJECT_FUTEX, NULL);
}

static bool released(void *self, unsigned thread, const struct operation *op)
{
  return (op->kind == OP_FUTEX_BLOCK || op->kind == OP_FUTEX_TIMEDBLOCK) && is_signalled(self, thread, op);
}

const struct object_model futex_model = {.enabled = released, .state = waiters_number, .released = released};

static int64_t deadline_from(int operation, const struct timespec *timeout)
{
  clockid_t clock = operation & FUTEX_CLOCK_REALTIME ? CLOCK_REALTIME : CLOCK_MONOTONIC;
  if ((operation & FUTEX_CMD_MASK) != FUTEX_WAIT)
    return deadline_of(clock, timeout);
  if (timeout->tv_nsec < 0 || timeout->tv_nsec >= 1000000000 || timeout->tv_sec < 0)
    return -1;
  return (int64_t)rt.now + timeout->tv_sec * 1000000000 + timeout->tv_nsec; /* relative */
}

/* It concerns another word too. */
static void step_far(enum op_kind kind, struct object *f, uint64_t arg, uintptr_t pc)
{
  struct operation op = operation_on(kind, f, arg, pc);
  op.traits |= OP_FAR;
  step(&op);
}

static long wait_on(uint32_t *word, uint32_t value, int operation, const struct timespec *timeout, uint32_t bits,
                    uintptr_t pc)
{
  struct object *f = futex_object(word);
  unsigned me = self_index();
  int64_t deadline = timeout ? deadline_from(operation, timeout) : 0;
  if (deadline < 0 || !bits)
    return -EINVAL;
  memory_access(word, sizeof *word, OP_ATOMIC_LOAD, __ATOMIC_RELAXED, pc); /* who writes it shares it with us */
  step_on(OP_FUTEX_WAIT, f, value, pc);
  if (__atomic_load_n(word, __ATOMIC_SEQ_CST) != value)
    return performed(-EAGAIN);
  threadset_add(&f->waiters, me);
  rt.thread[me].futex_bits = bits;
  performed(0);
  if (timeout)
    ends_at(deadline);
  step_on(timeout ? OP_FUTEX_TIMEDBLOCK : OP_FUTEX_BLOCK, f, value, pc);
  f = object_by_id(rt.engine->thread[me].pending.object);
  bool woken = threadset_has(&f->signalled, me);
  threadset_remove(&f->waiters, me);
  threadset_remove(&f->signalled, me);
  if (woken)
    acquire_from(&f->clock);
  else
    time_pass_until(deadline);
  return performed(woken ? 0 : -ETIMEDOUT);
}

static struct threadset sleepers(const struct object *f, uint32_t bits)
{
  struct threadset set = {{0}};
  THREADSET_EACH(t, &f->waiters)
  {
    if (!threadset_has(&f->signalled, t) && rt.thread[t].futex_bits & bits)
      threadset_add(&set, t);
  }
  return set;
}

static long wake(struct object *f, uint32_t most, uint32_t bits)
{
  struct threadset asleep = sleepers(f, bits);
  uint32_t woken = 0;
  for (unsigned n; woken < most && (n = threadset_count(&asleep)); woken++) {
    unsigned t = threadset_nth(&asleep, most < n ? engine_choose(rt.engine, n) : 0);
    threadset_remove(&asleep, t);
    threadset_add(&f->signalled, t);
  }
  if (woken) {
    release_to(&f->clock);
    engine_touch(rt.engine);
  }
  return woken;
}

/* Those that are not woken sleep on another word from now on. */
static long requeue(struct object *from, struct object *to, uint32_t most_woken, uint32_t most_moved)
{
  long woken = wake(from, most_woken, FUTEX_BITSET_MATCH_ANY);
  struct threadset rest = sleepers(from, FUTEX_BITSET_MATCH_ANY);
  uint32_t moved = 0;
  THREADSET_EACH(t, &rest)
  {
    if (moved == most_moved)
      break;
    threadset_remove(&from->waiters, t);
    threadset_add(&to->waiters, t);
    rt.engine->thread[t].pending.object = to->id;
    moved++;
  }
  return woken + moved;
}

/* Changes the second word as `how` says; true if what it was meets the condition in there. */
static bool change(uint32_t *word, uint32_t how)
{
  int32_t argument = (int32_t)(how << 8) >> 20, limit = (int32_t)(how << 20) >> 20, old = (int32_t)*word;
  if (how >> 28 & FUTEX_OP_OPARG_SHIFT)
    argument = (int32_t)(1u << (argument & 31));
  switch (how >> 28 & 7) {
  case FUTEX_OP_SET:
    *word = (uint32_t)argument;
    break;
  case FUTEX_OP_ADD:
    *word = (uint32_t)(old + argument);
    break;
  case FUTEX_OP_OR:
    *word = (uint32_t)(old | argument);
    break;
  case FUTEX_OP_ANDN:
    *word = (uint32_t)(old & ~argument);
    break;
  case FUTEX_OP_XOR:
    *word = (uint32_t)(old ^ argument);
    break;
  }
  switch (how >> 24 & 15) {
  case FUTEX_OP_CMP_EQ:
    return old == limit;
  case FUTEX_OP_CMP_NE:
    return old != limit;
  case FUTEX_OP_CMP_LT:
    return old < limit;
  case FUTEX_OP_CMP_LE:
    return old <= limit;
  case FUTEX_OP_CMP_GT:
    return old > limit;
  default:
    return old >= limit;
  }
}

static long wake_op(struct object *f, uint32_t *word2, uint32_t most, uint32_t most2, uint32_t how, uintptr_t pc)
{
  memory_access(word2, sizeof *word2, OP_ATOMIC_RMW, __ATOMIC_SEQ_CST, pc);
  step_far(OP_FUTEX_WAKE, f, most, pc);
  bool met = change(word2, how);
  long woken = wake(f, most, FUTEX_BITSET_MATCH_ANY);
  if (met)
    woken += wake(futex_object(word2), most2, FUTEX_BITSET_MATCH_ANY);
  return performed((int)woken);
}

/* ---- words that hold the number of their owner, to whom the kernel lends the priority of those who wait ---- */

/* The program takes and leaves such a word by itself where nobody waits. So what is done here for it is done in the
 * turn of an access to the word, at once. */
static void turn_on(uint32_t *word, uintptr_t pc)
{
  memory_access(word, sizeof *word, OP_ATOMIC_RMW, __ATOMIC_SEQ_CST, pc);
  atomic_loaded(word, __ATOMIC_SEQ_CST);
  atomic_stored(word, __ATOMIC_SEQ_CST, true);
}

#define WAITS_TO_OWN 0 /* as the bits of a sleeper, by which no wake-up reaches it */

static uint32_t own_number(void)
{
  return VIRTUAL_PID + self_index();
}

static struct threadset heirs(const struct object *f)
{
  struct threadset set = {{0}};
  THREADSET_EACH(t, &f->waiters)
  {
    if (!threadset_has(&f->signalled, t) && rt.thread[t].futex_bits == WAITS_TO_OWN)
      threadset_add(&set, t);
  }
  return set;
}

/* Whether who owns this waits, perhaps by way of others, for what the caller owns. */
static bool closes_circle(uint32_t owner)
{
  for (unsigned i = 0; i < MAX_THREADS; i++) {
    int t = thread_of_number(owner);
    const struct operation *op = t == NO_THREAD ? NULL : &rt.engine->thread[t].pending;
    if (!op || (op->kind != OP_FUTEX_BLOCK && op->kind != OP_FUTEX_TIMEDBLOCK) ||
        rt.thread[t].futex_bits != WAITS_TO_OWN)
      return false;
    owner = *(const uint32_t *)op->addr & FUTEX_TID_MASK;
    if (owner == own_number())
      return true;
  }
  return false;
}

/* Whoever gives the word up makes it ours. */
static long wait_for_word(struct object *f, bool timed, int64_t deadline, uintptr_t pc)
{
  unsigned me = self_index();
  threadset_add(&f->waiters, me);
  rt.thread[me].futex_bits = WAITS_TO_OWN;
  if (timed)
    ends_at(deadline);
  step_on(timed ? OP_FUTEX_TIMEDBLOCK : OP_FUTEX_BLOCK, f, 0, pc);
  bool given = threadset_has(&f->signalled, me);
  threadset_remove(&f->waiters, me);
  threadset_remove(&f->signalled, me);
  if (given)
    acquire_from(&f->clock);
  else
    time_pass_until(deadline);
  return performed(given ? 0 : -ETIMEDOUT);
}

static long lock_word(uint32_t *word, int operation, const struct timespec *timeout, uintptr_t pc)
{
  struct object *f = futex_object(word);
  int command = operation & FUTEX_CMD_MASK;
  bool realtime = command == FUTEX_LOCK_PI || operation & FUTEX_CLOCK_REALTIME;
  int64_t deadline = timeout ? deadline_of(realtime ? CLOCK_REALTIME : CLOCK_MONOTONIC, timeout) : 0;
  if (deadline < 0)
    return -EINVAL;
  turn_on(word, pc);
  uint32_t owner = *word & FUTEX_TID_MASK;
  struct threadset others = heirs(f);
  if (!owner) {
    *word = own_number() | (*word & FUTEX_OWNER_DIED) | (threadset_empty(&others) ? 0 : FUTEX_WAITERS);
    return 0;
  }
  if (owner == own_number())
    return -EDEADLK;
  if (thread_of_number(owner) == NO_THREAD)
    return -ESRCH;
  if (command == FUTEX_TRYLOCK_PI)
    return -EAGAIN;
  if (closes_circle(owner))
    return -EDEADLK;
  *word |= FUTEX_WAITERS;
  return wait_for_word(f, timeout, deadline, pc);
}

/* Of those who wait, those of the highest priority: one of them is next. */
static struct threadset most_urgent(const struct threadset *of)
{
  struct threadset first = {{0}};
  int highest = 0;
  THREADSET_EACH(t, of)
  {
    int priority = scheduling_priority(t);
    if (priority > highest)
      first = (struct threadset){{0}};
    if (priority >= highest)
      threadset_add(&first, t);
    highest = priority > highest ? priority : highest;
  }
  return first;
}

static long hand_over(struct object *f, uint32_t *word, uintptr_t pc)
{
  step_far(OP_FUTEX_WAKE, f, 1, pc);
  struct threadset waiting = heirs(f), first = most_urgent(&waiting);
  unsigned n = threadset_count(&first);
  *word = 0;
  if (n) {
    unsigned next = threadset_nth(&first, n > 1 ? engine_choose(rt.engine, n) : 0);
    *word = (VIRTUAL_PID + next) | (threadset_count(&waiting) > 1 ? FUTEX_WAITERS : 0);
    threadset_add(&f->signalled, next);
    release_to(&f->clock);
  }
  engine_touch(rt.engine);
  return performed(0);
}

static long unlock_word(uint32_t *word, uintptr_t pc)
{
  struct object *f = futex_object(word);
  turn_on(word, pc);
  if ((*word & FUTEX_TID_MASK) != own_number())
    return -EPERM;
  struct threadset waiting = heirs(f);
  if (!threadset_empty(&waiting))
    return hand_over(f, word, pc);
  *word = 0;
  return 0;
}

/* Woken by those who move it to the other word, a thread goes on when it has that one. */
static long wait_then_lock(uint32_t *word, uint32_t value, int operation, const struct timespec *timeout,
                           uint32_t *word2, uintptr_t pc)
{
  long result =
      wait_on(word, value, (operation & ~FUTEX_CMD_MASK) | FUTEX_WAIT_BITSET, timeout, FUTEX_BITSET_MATCH_ANY, pc);
  return result ? result : lock_word(word2, (operation & ~FUTEX_CMD_MASK) | FUTEX_LOCK_PI2, timeout, pc);
}

static long move_to_lock(uint32_t *word, uint32_t most_woken, uint32_t most_moved, uint32_t value, uintptr_t pc)
{
  struct object *f = futex_object(word);
  step_far(OP_FUTEX_WAKE, f, most_woken, pc);
  if (most_woken != 1)
    return performed(-EINVAL);
  if (__atomic_load_n(word, __ATOMIC_SEQ_CST) != value)
    return performed(-EAGAIN);
  return performed((int)wake(f, most_moved < INT_MAX ? 1 + most_moved : INT_MAX, FUTEX_BITSET_MATCH_ANY));
}

long futex_call(uint32_t *word, int operation, uint32_t value, long timeout, uint32_t *word2, uint32_t value3,
                uintptr_t pc)
{
  if ((uintptr_t)word % sizeof *word)
    return -EINVAL;
  struct object *f = futex_object(word);
  switch (operation & FUTEX_CMD_MASK) {
  case FUTEX_WAIT:
    return wait_on(word, value, operation, (const struct timespec *)timeout, FUTEX_BITSET_MATCH_ANY, pc);
  case FUTEX_WAIT_BITSET:
    return wait_on(word, value, operation, (const struct timespec *)timeout, value3, pc);
  case FUTEX_WAKE:
    step_on(OP_FUTEX_WAKE, f, value, pc);
    return performed((int)wake(f, value, FUTEX_BITSET_MATCH_ANY));
  case FUTEX_WAKE_BITSET:
    if (!value3)
      return -EINVAL;
    step_on(OP_FUTEX_WAKE, f, value, pc);
    return performed((int)wake(f, value, value3));
  case FUTEX_CMP_REQUEUE:
  case FUTEX_REQUEUE:
    step_far(OP_FUTEX_WAKE, f, value, pc);
    if ((operation & FUTEX_CMD_MASK) == FUTEX_CMP_REQUEUE && __atomic_load_n(word, __ATOMIC_SEQ_CST) != value3)
      return performed(-EAGAIN);
    return performed((int)requeue(f, futex_object(word2), value, (uint32_t)timeout));
  case FUTEX_WAKE_OP:
    return wake_op(f, word2, value, (uint32_t)timeout, value3, pc);
  case FUTEX_LOCK_PI:
  case FUTEX_LOCK_PI2:
  case FUTEX_TRYLOCK_PI:
    return lock_word(word, operation, (operation & FUTEX_CMD_MASK) == FUTEX_TRYLOCK_PI ? NULL : (const void *)timeout,
                     pc);
  case FUTEX_UNLOCK_PI:
    return unlock_word(word, pc);
  case FUTEX_WAIT_REQUEUE_PI:
    return wait_then_lock(word, value, operation, (const struct timespec *)timeout, word2, pc);
  case FUTEX_CMP_REQUEUE_PI:
    return move_to_lock(word, value, (uint32_t)timeout, value3, pc);
  }
  return -ENOSYS;
}
