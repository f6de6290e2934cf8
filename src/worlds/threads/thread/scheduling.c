/* SPDX-License-Identifier: Apache-2.0
 *
 * Policies, priorities, nice values and processors of threads: they are remembered, inherited and told again, and what
 * the kernel would refuse is refused. The kernel is never told, since all threads are one to it. One thread runs at a
 * time and heddle says which; where they leave no choice is in priorities.c.
 */
#include "worlds/threads/thread/scheduling.h"
#include "core/system.h"
#include "core/without_libc.h"
#include "worlds/threads/libc/announce.h"
#include "worlds/threads/memory/snapshot.h"
#include "worlds/threads/model/mutex.h"
#include "worlds/threads/system/call_rules.h"
#include "worlds/threads/system/own_numbers.h"
#include "worlds/threads/thread/priorities.h"
#include "worlds/threads/thread/thread.h"
#include <errno.h>
#include <linux/capability.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#define HIGHEST 99 /* of the policies in which priorities count */
#define MOST_NICE 19
#define LEAST_NICE (-20)
#define TURN 100000000 /* of a thread of SCHED_RR, in nanoseconds */

/* ---- what a thread has ---- */

bool is_real_time(int policy)
{
  return policy == SCHED_FIFO || policy == SCHED_RR;
}

void scheduling_begin(void)
{
  static bool asked;
  static struct scheduling given;
  if (!asked) {
    struct sched_param param = {0};
    long policy = sys(SYS_sched_getscheduler, 0);
    sys(SYS_sched_getparam, 0, &param);
    given.policy = (uint8_t)(policy & ~SCHED_RESET_ON_FORK);
    given.reset = policy & SCHED_RESET_ON_FORK;
    given.priority = (uint8_t)param.sched_priority;
    given.nice = (int8_t)(20 - sys(SYS_getpriority, PRIO_PROCESS, 0));
    asked = true;
  }
  rt.thread[0].scheduling = given;
  priorities_reset();
}

void scheduling_inherit(unsigned thread, unsigned creator)
{
  struct scheduling *s = &rt.thread[thread].scheduling;
  *s = rt.thread[creator].scheduling;
  if (!s->reset)
    return;
  if (is_real_time(s->policy))
    *s = (struct scheduling){.policy = SCHED_OTHER};
  s->nice = s->nice < 0 ? 0 : s->nice;
  s->reset = false;
}

int scheduling_priority(unsigned thread)
{
  int own = rt.thread[thread].scheduling.priority, lent = mutexes_ceiling(thread);
  return lent > own ? lent : own;
}

/* ---- what the kernel would say ---- */

static bool may_do_as_it_likes(void)
{
  return has_capability(CAP_SYS_NICE);
}

static rlim_t limit_of(int which)
{
  struct rlimit limit = {0};
  sys(SYS_prlimit64, 0, which, NULL, &limit);
  return limit.rlim_cur;
}

static bool may_be_as_nice(int nice, const struct scheduling *now)
{
  return nice >= now->nice || (rlim_t)(20 - nice) <= limit_of(RLIMIT_NICE) || may_do_as_it_likes();
}

int scheduling_refused(const struct scheduling *now, const struct scheduling *wanted)
{
  bool real_time = is_real_time(wanted->policy);
  bool known =
      real_time || wanted->policy == SCHED_OTHER || wanted->policy == SCHED_BATCH || wanted->policy == SCHED_IDLE;
  if (!known || wanted->priority > HIGHEST || real_time != (wanted->priority > 0))
    return EINVAL;
  bool as_high = wanted->priority <= now->priority || wanted->priority <= limit_of(RLIMIT_RTPRIO);
  bool allowed = !real_time || ((wanted->policy == now->policy || limit_of(RLIMIT_RTPRIO) > 0) && as_high);
  if (now->policy == SCHED_IDLE && wanted->policy != SCHED_IDLE)
    allowed = allowed && (rlim_t)(20 - now->nice) <= limit_of(RLIMIT_NICE);
  if (now->reset && !wanted->reset)
    allowed = false;
  return allowed || may_do_as_it_likes() ? 0 : EPERM;
}

/* ---- changing it ---- */

/* A thread looks at its own when it creates others, too. */
static void step_to_change(unsigned thread, long number, uintptr_t pc)
{
  if (thread == self_index())
    step_on_system(number, 0, SYSTEM_SCHEDULING, pc);
  else
    step_on_everything(number, pc);
}

static int change(unsigned thread, struct scheduling wanted)
{
  struct scheduling *now = &rt.thread[thread].scheduling;
  int error = scheduling_refused(now, &wanted);
  if (error)
    return error;
  *now = wanted;
  priorities_settle(thread);
  return 0;
}

/* A number that is no priority is one that no policy has. */
static uint8_t priority_from(int value)
{
  return value < 0 || value > HIGHEST ? UINT8_MAX : (uint8_t)value;
}

static uint8_t policy_from(int value)
{
  return value < 0 || value > UINT8_MAX ? UINT8_MAX : (uint8_t)value;
}

static long set_scheduler(unsigned thread, int policy, const struct sched_param *param)
{
  if (policy < 0)
    return -EINVAL;
  struct scheduling wanted = rt.thread[thread].scheduling;
  wanted.policy = policy_from(policy & ~SCHED_RESET_ON_FORK);
  wanted.reset = policy & SCHED_RESET_ON_FORK;
  wanted.priority = priority_from(param->sched_priority);
  return -change(thread, wanted);
}

static long set_parameters(unsigned thread, const struct sched_param *param)
{
  struct scheduling wanted = rt.thread[thread].scheduling;
  wanted.priority = priority_from(param->sched_priority);
  return -change(thread, wanted);
}

/* As <linux/sched/types.h> has it, which does not go with <sched.h>. */
struct attributes_of_call {
  uint32_t size, policy;
  uint64_t flags;
  int32_t nice;
  uint32_t priority;
  uint64_t runtime, deadline, period;
};
#define RESET_ON_FORK 1
#define SCHED_DEADLINE_POLICY 6

static long set_attributes(unsigned thread, const struct attributes_of_call *a)
{
  const struct scheduling *now = &rt.thread[thread].scheduling;
  if (a->size && a->size < sizeof *a)
    return -E2BIG;
  if (a->policy == SCHED_DEADLINE_POLICY)
    return may_do_as_it_likes() ? -EBUSY : -EPERM; /* no processor has time left for such a thread */
  struct scheduling wanted = {.policy = policy_from((int)a->policy),
                              .priority = priority_from((int)a->priority),
                              .reset = a->flags & RESET_ON_FORK,
                              .nice = now->nice};
  if (!is_real_time((int)a->policy)) {
    int nice = a->nice < LEAST_NICE ? LEAST_NICE : a->nice > MOST_NICE ? MOST_NICE : a->nice;
    if (!may_be_as_nice(nice, now))
      return -EPERM;
    wanted.nice = (int8_t)nice;
  }
  return -change(thread, wanted);
}

static long get_attributes(unsigned thread, struct attributes_of_call *out, uint32_t size)
{
  const struct scheduling *s = &rt.thread[thread].scheduling;
  if (size < sizeof *out)
    return -EINVAL;
  snapshot_touch((uintptr_t)out, sizeof *out);
  *out = (struct attributes_of_call){.size = sizeof *out,
                                     .policy = s->policy,
                                     .flags = s->reset ? RESET_ON_FORK : 0,
                                     .nice = is_real_time(s->policy) ? 0 : s->nice,
                                     .priority = (uint32_t)scheduling_priority(thread)};
  return 0;
}

static long get_parameters(unsigned thread, struct sched_param *out)
{
  snapshot_touch((uintptr_t)out, sizeof *out);
  out->sched_priority = scheduling_priority(thread);
  return 0;
}

/* How long the others' turns are is the machine's business. */
static long get_interval(unsigned thread, struct timespec *out)
{
  int policy = rt.thread[thread].scheduling.policy;
  if (!is_real_time(policy))
    return UNKNOWN;
  snapshot_touch((uintptr_t)out, sizeof *out);
  *out = (struct timespec){0, policy == SCHED_RR ? TURN : 0};
  return 0;
}

long scheduling_call(const struct call *c)
{
  long who = (int)c->arg[0];
  bool has_pointer = c->number == SYS_sched_getscheduler || c->arg[c->number == SYS_sched_setscheduler ? 2 : 1];
  if (who < 0 || !has_pointer)
    return -EINVAL;
  int thread = who ? thread_of_number(who) : (int)self_index();
  if (thread < 0)
    return is_virtual(who) ? -ESRCH : UNKNOWN;
  unsigned t = (unsigned)thread;
  const struct scheduling *s = &rt.thread[t].scheduling;
  switch (c->number) {
  case SYS_sched_getscheduler:
    return s->policy | (s->reset ? SCHED_RESET_ON_FORK : 0);
  case SYS_sched_getparam:
    return get_parameters(t, (struct sched_param *)c->arg[1]);
  case SYS_sched_getattr:
    return get_attributes(t, (struct attributes_of_call *)c->arg[1], (uint32_t)c->arg[2]);
  case SYS_sched_rr_get_interval:
    return get_interval(t, (struct timespec *)c->arg[1]);
  case SYS_sched_setparam:
    return set_parameters(t, (const struct sched_param *)c->arg[1]);
  case SYS_sched_setattr:
    return c->arg[2] ? -EINVAL : set_attributes(t, (const struct attributes_of_call *)c->arg[1]);
  default:
    return set_scheduler(t, (int)c->arg[1], (const struct sched_param *)c->arg[2]);
  }
}

/* ---- nice values ---- */

/* Whether the call is about this thread: by its number, or as one of a group or of a user. */
static bool is_meant(const struct call *c, unsigned thread)
{
  const struct thread *t = &rt.thread[thread];
  long who = (int)c->arg[1];
  if (t->finished || t->system)
    return false;
  if (c->arg[0] == PRIO_PROCESS)
    return who ? thread_of_number(who) == (int)thread : thread == self_index();
  return true;
}

static bool is_own_group_or_user(const struct call *c)
{
  long who = (int)c->arg[1];
  return c->arg[0] == PRIO_PGRP ? !who || who == own_group() : !who || who == sys(SYS_getuid);
}

long nice_call(const struct call *c)
{
  bool sets = c->number == SYS_setpriority;
  long wanted = (int)c->arg[2], least = MOST_NICE, result = -ESRCH;
  if (c->arg[0] < PRIO_PROCESS || c->arg[0] > PRIO_USER)
    return -EINVAL;
  bool others = c->arg[0] == PRIO_PROCESS ? c->arg[1] && !is_virtual((int)c->arg[1]) : !is_own_group_or_user(c);
  if (others)
    return UNKNOWN;
  wanted = wanted < LEAST_NICE ? LEAST_NICE : wanted > MOST_NICE ? MOST_NICE : wanted;
  for (unsigned t = 0; t < rt.engine->threads; t++) {
    struct scheduling *s = &rt.thread[t].scheduling;
    if (!is_meant(c, t))
      continue;
    least = s->nice < least ? s->nice : least;
    result = 0;
    if (sets && !may_be_as_nice((int)wanted, s))
      return -EACCES;
    if (sets)
      s->nice = (int8_t)wanted;
  }
  return result || sets ? result : 20 - least;
}

/* ---- processors ---- */

/* What the kernel lets the process run on. */
static long real_affinity(cpu_set_t *out)
{
  CPU_ZERO(out);
  return sys(SYS_sched_getaffinity, 0, sizeof *out, out);
}

long processors_allowed(const void *set, size_t size, cpu_set_t *out)
{
  cpu_set_t real, wanted;
  long n = real_affinity(&real);
  if (n < 0)
    return n;
  CPU_ZERO(&wanted);
  copy_bytes(&wanted, set, size < sizeof wanted ? size : sizeof wanted);
  CPU_AND(out, &wanted, &real);
  return CPU_COUNT(out) ? 0 : -EINVAL;
}

long thread_set_affinity(unsigned t, size_t size, const void *set)
{
  cpu_set_t allowed;
  long error = processors_allowed(set, size, &allowed);
  if (error)
    return error;
  rt.thread[t].processors = allowed;
  priorities_settle(t);
  return 0;
}

long thread_get_affinity(unsigned t, size_t size, void *set)
{
  cpu_set_t real;
  long n = real_affinity(&real);
  if (n < 0)
    return n;
  if (size < (size_t)n || size % sizeof(long))
    return -EINVAL;
  snapshot_touch((uintptr_t)set, (size_t)n);
  copy_bytes(set, CPU_COUNT(&rt.thread[t].processors) ? &rt.thread[t].processors : &real, (size_t)n);
  return n;
}

EXPORT int pthread_setaffinity_np(pthread_t id, size_t size, const cpu_set_t *set)
{
  if (!hd_self)
    return REAL(pthread_setaffinity_np)(id, size, set);
  unsigned t = thread_of(id);
  if (t == MAX_THREADS)
    return ESRCH;
  step_to_change(t, SYS_sched_setaffinity, CALLER());
  return (int)-thread_set_affinity(t, size, set);
}

EXPORT int pthread_getaffinity_np(pthread_t id, size_t size, cpu_set_t *set)
{
  if (!hd_self)
    return REAL(pthread_getaffinity_np)(id, size, set);
  unsigned t = thread_of(id);
  if (t == MAX_THREADS)
    return ESRCH;
  step_on_system(SYS_sched_getaffinity, SYSTEM_SCHEDULING, 0, CALLER());
  fill_bytes(set, 0, size);
  long n = thread_get_affinity(t, size, set);
  return n < 0 ? (int)-n : 0;
}

/* ---- policies and priorities, by pthreads ---- */

EXPORT int pthread_setschedparam(pthread_t id, int policy, const struct sched_param *param)
{
  if (!hd_self)
    return REAL(pthread_setschedparam)(id, policy, param);
  unsigned t = thread_of(id);
  if (t == MAX_THREADS || rt.thread[t].joined)
    return ESRCH;
  step_to_change(t, SYS_sched_setscheduler, CALLER());
  return rt.thread[t].finished ? ESRCH : (int)-set_scheduler(t, policy, param);
}

EXPORT int pthread_getschedparam(pthread_t id, int *policy, struct sched_param *param)
{
  if (!hd_self)
    return REAL(pthread_getschedparam)(id, policy, param);
  unsigned t = thread_of(id);
  if (t == MAX_THREADS || rt.thread[t].joined)
    return ESRCH;
  step_on_system(SYS_sched_getscheduler, SYSTEM_SCHEDULING, 0, CALLER());
  writes_for(policy, sizeof *policy, CALLER());
  writes_for(param, sizeof *param, CALLER());
  *policy = rt.thread[t].scheduling.policy;
  param->sched_priority = rt.thread[t].scheduling.priority;
  return 0;
}

EXPORT int pthread_setschedprio(pthread_t id, int priority)
{
  if (!hd_self)
    return REAL(pthread_setschedprio)(id, priority);
  unsigned t = thread_of(id);
  struct sched_param param = {.sched_priority = priority};
  if (t == MAX_THREADS || rt.thread[t].joined)
    return ESRCH;
  step_to_change(t, SYS_sched_setparam, CALLER());
  return rt.thread[t].finished ? ESRCH : (int)-set_parameters(t, &param);
}
