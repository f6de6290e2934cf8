/* SPDX-License-Identifier: Apache-2.0
 *
 * Timers: alarm, setitimer, timer_create, timerfd. They run on virtual time, and their expiry is a step of a task of
 * its own, the clock of their process, which strategies order like the steps of threads. A short timer that only tells
 * the program something may expire at any moment after it was set, since a real machine may be slow; a long one, and
 * one that would kill the program (a watchdog), only when nothing else can go on; a long one also where an execution
 * seems not to end without it. Of a periodic one that holds for its first expiry, and then again after many steps; else
 * it would never end. Whenever time passes, because somebody sleeps, what is due by then expires first.
 *
 * A timerfd is a counter that the clock writes to (kernel/counter.c).
 */
#include "worlds/threads/system/timers.h"
#include "core/without_libc.h"
#include "worlds/threads/memory/system_memory.h"
#include "worlds/threads/runtime.h"
#include "worlds/threads/system/call_rules.h"
#include "worlds/threads/system/descriptors.h"
#include "worlds/threads/system/notification.h"
#include "worlds/threads/system/signals.h"
#include "worlds/threads/system/time.h"
#include "worlds/threads/thread/thread.h"
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>

#define TIMERS 64
#define SECOND INT64_C(1000000000)
#define SLOW                                                                                                           \
  INT64_C(100000000)     /* ns: no machine is so slow that a timer of more comes before what takes no time at all */
#define AGAIN_AFTER 1000 /* steps: then a periodic timer may expire while others can go on, once more */

enum timer_kind { TIMER_NONE, TIMER_INTERVAL, TIMER_POSIX, TIMER_DESCRIPTOR };

struct timer {
  enum timer_kind kind;
  uint8_t process;
  clockid_t clock;  /* or ITIMER_* */
  uint16_t channel; /* of a timerfd */
  int notify;       /* SIGEV_* */
  int signal;
  int receiver; /* thread, or WHOLE_PROCESS */
  union sigval value;
  void (*function)(union sigval);
  struct attributes attributes;       /* of the thread that calls it */
  bool armed, unseen;                 /* its own signal is still pending */
  bool by_wall_clock;                 /* its deadline is a time that the wall clock is to show */
  int64_t set_at, deadline, interval; /* set, or expired the last time */
  int overrun;                        /* expiries while the signal of an earlier one waited */
  int delivered;                      /* how many there were when it was taken */
  uint64_t may_again;                 /* the step after which it may expire while others can go on */
  struct vclock set_by;
};

static struct {
  struct timer timers[TIMERS];
  bool any;                       /* timer in this execution */
  bool late;                      /* what expires now was set so long ago that nobody was only about to wait */
  bool overdue;                   /* so much was done that the next expiry may come, however long it is */
  unsigned clocks;                /* made in this execution */
  unsigned clock_task[PROCESSES]; /* 0: there is none yet */
} state SYSTEM;

void timers_reset(void)
{
  notifications_reset();
  if (state.any)
    fill_bytes(state.timers, 0, sizeof state.timers);
  state.any = state.overdue = state.late = rt.armed = false;
  if (state.clocks)
    fill_bytes(state.clock_task, 0, sizeof state.clock_task);
  state.clocks = 0;
}

/* ---- expiry ---- */

static bool kills(const struct timer *t)
{
  bool signals = t->kind != TIMER_DESCRIPTOR && (t->notify == SIGEV_SIGNAL || t->notify == SIGEV_THREAD_ID);
  return signals && signal_kills(t->signal);
}

static struct timer *next_timer(void)
{
  struct timer *next = NULL;
  for (struct timer *t = state.timers; state.any && t < state.timers + TIMERS; t++)
    if (t->armed && (!next || t->deadline < next->deadline))
      next = t;
  return next;
}

int64_t timers_next(void)
{
  const struct timer *next = next_timer();
  return next ? next->deadline : INT64_MAX;
}

static struct timer *timer_of(long id)
{
  return id >= 0 && id < TIMERS && state.timers[id].kind == TIMER_POSIX ? &state.timers[id] : NULL;
}

bool timers_signal_waits(const siginfo_t *info)
{
  struct timer *t = info->si_code == SI_TIMER ? timer_of(info->si_timerid) : NULL;
  if (t)
    t->unseen = true;
  return t;
}

static void add_overruns(struct timer *t, int64_t more)
{
  t->overrun = more > INT_MAX - t->overrun ? INT_MAX : t->overrun + (int)more; /* DELAYTIMER_MAX */
}

static void send_expiry(struct timer *t)
{
  siginfo_t info = {.si_signo = t->signal, .si_code = t->kind == TIMER_POSIX ? SI_TIMER : SI_KERNEL};
  info.si_value = t->value;
  if (t->kind == TIMER_POSIX)
    info.si_timerid = (int)(t - state.timers);
  if (t->unseen) {
    add_overruns(t, 1);
    return;
  }
  post_signal(t->receiver, t->signal, &info);
}

void timers_signal_taken(siginfo_t *info)
{
  struct timer *t = info->si_code == SI_TIMER ? timer_of(info->si_timerid) : NULL;
  if (!t)
    return;
  info->si_overrun = t->delivered = t->overrun;
  t->overrun = 0;
  t->unseen = false;
}

static void tell(struct timer *t)
{
  acquire_from(&t->set_by);
  if (t->kind == TIMER_DESCRIPTOR) {
    timer_descriptor_expired(t->channel, 1);
  } else if (t->notify == SIGEV_THREAD) {
    struct notice n = {.how = SIGEV_THREAD, .process = t->process, .value = t->value, .function = t->function};
    n.attributes = t->attributes;
    notification_send(&n, SI_TIMER);
  } else if (t->notify != SIGEV_NONE) {
    send_expiry(t);
  }
}

/* A periodic one that nobody can notice but by how often it expired does so at once as often as it would until then, or
 * until another one does. */
static void pass_unnoticed(struct timer *t, int64_t until)
{
  bool counts = t->kind == TIMER_DESCRIPTOR || t->notify == SIGEV_NONE || t->unseen;
  const struct timer *next = next_timer();
  int64_t last = next && next != t && next->deadline < until ? next->deadline : until;
  if (!t->armed || !counts || t->deadline > last)
    return;
  int64_t more = (last - t->deadline) / t->interval + 1;
  t->deadline += more * t->interval;
  if (t->kind == TIMER_DESCRIPTOR)
    timer_descriptor_expired(t->channel, (uint64_t)more);
  else if (t->unseen)
    add_overruns(t, more);
}

void timers_expire(int64_t until)
{
  struct timer *t = next_timer();
  if (t->deadline > (int64_t)rt.now)
    rt.now = (uint64_t)t->deadline;
  t->armed = t->interval > 0;
  t->deadline += t->interval;
  if (t->armed) {
    t->may_again = rt.engine->step + AGAIN_AFTER;
    lose(LOST_TIMERS);
  }
  state.overdue = false;
  engine_touch(rt.engine);
  state.late = rt.punctual || (int64_t)rt.now - t->set_at > SLOW;
  t->set_at = (int64_t)rt.now;
  tell(t);
  state.late = false;
  pass_unnoticed(t, until);
}

void timers_may_expire_in(struct operation *pending)
{
  if (op_is_timed(pending->kind) && timers_next() != INT64_MAX)
    pending->traits |= OP_FAR | OP_SENDS;
}

/* Also what is pending by now. */
static void note_armed(void)
{
  rt.armed = true;
  for (unsigned t = 0; t < rt.engine->threads; t++)
    timers_may_expire_in(&rt.engine->thread[t].pending);
}

bool timers_come_late(void)
{
  return state.late;
}

bool timers_come_due(void)
{
  const struct timer *next = next_timer();
  if (!next || state.overdue || kills(next))
    return false;
  state.overdue = true;
  engine_touch(rt.engine);
  return true;
}

/* ---- the clock ---- */

bool is_clock(unsigned task)
{
  return task && task == state.clock_task[rt.thread[task].process];
}

static bool others_can_go_on(void)
{
  const struct engine *e = rt.engine;
  for (unsigned t = 0; t < e->threads; t++)
    if (e->thread[t].alive && !is_clock(t) && world_enabled(t, &e->thread[t].pending))
      return true;
  return false;
}

/* Of a schedule that is followed: where the next expiry may have come, however long it is. That an execution seems not
 * to end was counted in steps, of which there were others; but all of them were operations. */
static bool was_overdue(void)
{
  const struct engine *e = rt.engine;
  uint64_t operations = 0;
  for (unsigned t = 0; e->job.bytes[JOB_SCHEDULE] && t < e->threads; t++)
    operations += e->thread[t].operations;
  return operations && operations >= rt.control->config.max_steps;
}

bool timers_can_expire(unsigned clock)
{
  const struct timer *next = next_timer();
  if (notification_is_owed(rt.thread[clock].process))
    return true;
  if (!next || next->process != rt.thread[clock].process)
    return false;
  bool soon = next->deadline - (int64_t)rt.now <= SLOW;
  bool may = soon && !rt.punctual && rt.engine->step >= next->may_again;
  bool at_any_time = may || (!kills(next) && (state.overdue || was_overdue()));
  if (!soon)
    lose(LOST_TIMERS);
  return at_any_time || next->deadline <= (int64_t)rt.now || !others_can_go_on();
}

static void *run_clock(void *unused)
{
  for (;;) {
    struct operation op = {.kind = OP_EXPIRE};
    step(&op);
    if (!notification_pay())
      timers_expire((int64_t)rt.now);
    performed(0);
  }
  return unused; /* the execution ends before */
}

void timers_need_clock(void)
{
  unsigned *task = &state.clock_task[hd_own.process];
  if (*task)
    return;
  state.clocks++;
  *task = thread_start_system(run_clock, state.clocks == 1 ? 0 : LATER_CLOCKS + state.clocks, "clock");
}

/* A timerfd that others still have. */
static void bequeath(struct timer *t)
{
  for (unsigned p = 0; p < rt.engine->processes; p++)
    if (state.clock_task[p]) {
      t->process = (uint8_t)p;
      return;
    }
  fail(0,
       "the process that set a timerfd ends while others have it, and they have no timer of their own; heddle cannot "
       "go on there");
}

void timers_process_ended(unsigned process)
{
  state.clock_task[process] = 0;
  for (struct timer *t = state.timers; state.any && t < state.timers + TIMERS; t++)
    if (t->kind == TIMER_DESCRIPTOR && t->process == process && t->armed)
      bequeath(t);
    else if (t->process == process)
      t->armed = false;
}

void timers_exec(void)
{
  state.clock_task[hd_own.process] = 0;
  for (struct timer *t = state.timers; state.any && t < state.timers + TIMERS; t++)
    if (t->kind == TIMER_POSIX && t->process == hd_own.process)
      *t = (struct timer){.kind = TIMER_NONE};
}

void timers_go_on(void)
{
  for (struct timer *t = state.timers; state.any && t < state.timers + TIMERS; t++)
    if (t->armed && t->process == hd_own.process)
      timers_need_clock();
}

/* ---- setting ---- */

static struct timer *new_timer(enum timer_kind kind)
{
  struct timer *t = state.timers;
  while (t < state.timers + TIMERS && t->kind)
    t++;
  if (t == state.timers + TIMERS)
    return NULL;
  state.any = true;
  *t = (struct timer){
      .kind = kind, .process = (uint8_t)hd_own.process, .receiver = WHOLE_PROCESS, .notify = SIGEV_SIGNAL};
  return t;
}

static int64_t nanoseconds(const struct timespec *t)
{
  return t->tv_sec > 1000000000 ? INT64_C(1000000000000000000) : t->tv_sec * SECOND + t->tv_nsec;
}

static bool valid(const struct timespec *t)
{
  return t->tv_sec >= 0 && t->tv_nsec >= 0 && t->tv_nsec < SECOND;
}

static struct itimerspec left_of(const struct timer *t)
{
  int64_t left = t->armed ? t->deadline - (int64_t)rt.now : 0;
  if (t->armed && left < 1)
    left = 1;
  return (struct itimerspec){.it_interval = {t->interval / SECOND, t->interval % SECOND},
                             .it_value = {left / SECOND, left % SECOND}};
}

static void set(struct timer *t, const struct itimerspec *to, bool absolute)
{
  t->interval = nanoseconds(&to->it_interval);
  int64_t value = nanoseconds(&to->it_value);
  t->armed = value > 0;
  t->overrun = t->delivered = 0;
  t->may_again = 0;
  t->set_at = (int64_t)rt.now;
  t->by_wall_clock = absolute && t->kind != TIMER_INTERVAL && t->clock == CLOCK_REALTIME;
  t->deadline = absolute ? deadline_of(t->clock, &to->it_value) : (int64_t)rt.now + value;
  if (t->kind == TIMER_DESCRIPTOR) {
    timer_descriptor_expired(t->channel, 0);
    t->process = (uint8_t)hd_own.process;
  }
  vclock_clear(&t->set_by);
  release_to(&t->set_by);
  engine_touch(rt.engine);
  if (!t->armed)
    return;
  note_armed();
  timers_need_clock();
}

void timers_follow_wall_clock(int64_t put_on)
{
  for (struct timer *t = state.timers; t < state.timers + TIMERS && state.any; t++)
    if (t->armed && t->by_wall_clock)
      t->deadline -= put_on;
  engine_touch(rt.engine);
}

/* ---- alarm and setitimer ---- */

static struct timer *interval_timer(int which)
{
  for (struct timer *t = state.timers; t < state.timers + TIMERS; t++)
    if (t->kind == TIMER_INTERVAL && t->clock == which && t->process == hd_own.process)
      return t;
  struct timer *t = new_timer(TIMER_INTERVAL);
  if (!t)
    return NULL;
  t->clock = which;
  t->signal = which == ITIMER_REAL ? SIGALRM : which == ITIMER_VIRTUAL ? SIGVTALRM : SIGPROF;
  return t;
}

static struct itimerval in_microseconds(const struct itimerspec *s)
{
  return (struct itimerval){{s->it_interval.tv_sec, s->it_interval.tv_nsec / 1000},
                            {s->it_value.tv_sec, (s->it_value.tv_nsec + 999) / 1000}};
}

static long do_setitimer(int which, const struct itimerval *to, struct itimerval *old)
{
  if (which < ITIMER_REAL || which > ITIMER_PROF)
    return -EINVAL;
  struct timer *t = interval_timer(which);
  if (!t)
    return -ENOMEM;
  struct itimerspec before = left_of(t);
  if (to) {
    struct itimerspec wanted = {{to->it_interval.tv_sec, to->it_interval.tv_usec * 1000},
                                {to->it_value.tv_sec, to->it_value.tv_usec * 1000}};
    if (!valid(&wanted.it_interval) || !valid(&wanted.it_value))
      return -EINVAL;
    set(t, &wanted, false);
  }
  if (old)
    *old = in_microseconds(&before);
  return 0;
}

static long do_alarm(unsigned seconds)
{
  struct itimerval to = {.it_value.tv_sec = seconds}, old;
  long result = do_setitimer(ITIMER_REAL, &to, &old);
  return result ? result : old.it_value.tv_sec + (old.it_value.tv_usec > 0);
}

/* ---- timer_create ---- */

static int thread_of_event(const struct sigevent *event)
{
  for (unsigned i = 0; i < rt.engine->threads; i++)
    if ((int)(VIRTUAL_PID + i) == event->_sigev_un._tid || hd_own.fiber[i].tid == event->_sigev_un._tid)
      return (int)i;
  return WHOLE_PROCESS;
}

static bool valid_event(const struct sigevent *event)
{
  bool has_signal = event->sigev_signo > 0 && event->sigev_signo < SIGNALS;
  switch (event->sigev_notify) {
  case SIGEV_SIGNAL:
    return has_signal;
  case SIGEV_THREAD_ID:
    return has_signal && thread_of_event(event) >= 0;
  default:
    return event->sigev_notify == SIGEV_NONE || event->sigev_notify == SIGEV_THREAD;
  }
}

/* As the kernel has it: no struct sigevent means SIGALRM. */
static long do_create(clockid_t clock, const struct sigevent *event, int *id)
{
  if (!clock_exists(clock) || (event && !valid_event(event)))
    return -EINVAL;
  if (clock == CLOCK_MONOTONIC_RAW || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_MONOTONIC_COARSE)
    return -EOPNOTSUPP;
  struct timer *t = new_timer(TIMER_POSIX);
  if (!t)
    return -EAGAIN;
  t->clock = clock;
  t->signal = event ? event->sigev_signo : SIGALRM;
  t->notify = event ? event->sigev_notify : SIGEV_SIGNAL;
  t->value.sival_int = (int)(t - state.timers);
  if (event)
    t->value = event->sigev_value;
  if (t->notify == SIGEV_THREAD) {
    t->function = event->sigev_notify_function;
    thread_will_need(event->sigev_notify_attributes, &t->attributes);
  }
  if (t->notify == SIGEV_THREAD_ID)
    t->receiver = thread_of_event(event);
  *id = (int)(t - state.timers);
  return 0;
}

static long do_settime(struct timer *t, bool absolute, const struct itimerspec *to, struct itimerspec *old)
{
  if (!t || !to || !valid(&to->it_interval) || !valid(&to->it_value))
    return -EINVAL;
  struct itimerspec before = left_of(t);
  set(t, to, absolute);
  if (old)
    *old = before;
  return 0;
}

static long do_gettime(const struct timer *t, struct itimerspec *out)
{
  if (!t)
    return -EINVAL;
  *out = left_of(t);
  return 0;
}

static long do_delete(struct timer *t)
{
  if (!t)
    return -EINVAL;
  *t = (struct timer){0};
  engine_touch(rt.engine);
  return 0;
}

/* ---- timerfd ---- */

static long do_timerfd_create(clockid_t clock, int flags, uintptr_t pc)
{
  static const clockid_t clocks[] = {CLOCK_REALTIME, CLOCK_MONOTONIC, CLOCK_BOOTTIME, CLOCK_REALTIME_ALARM,
                                     CLOCK_BOOTTIME_ALARM};
  bool known = false;
  for (size_t i = 0; i < sizeof clocks / sizeof *clocks; i++)
    known |= clocks[i] == clock;
  if (!known || flags & ~(TFD_CLOEXEC | TFD_NONBLOCK))
    return -EINVAL;
  struct timer *t = new_timer(TIMER_DESCRIPTOR);
  if (!t)
    return -ENOMEM;
  t->clock = clock;
  long fd = timer_descriptor_new(flags & TFD_NONBLOCK, flags & TFD_CLOEXEC, &t->channel, pc);
  if (fd < 0)
    t->kind = TIMER_NONE;
  return fd;
}

static struct timer *timer_of_channel(uint16_t channel)
{
  for (struct timer *t = state.timers; state.any && channel && t < state.timers + TIMERS; t++)
    if (t->kind == TIMER_DESCRIPTOR && t->channel == channel)
      return t;
  return NULL;
}

/* What the kernel says then. */
static long no_timer(long fd)
{
  return descriptor_is_free((int)fd) ? -EBADF : -EINVAL;
}

static struct timer *timer_of_fd(long fd)
{
  return timer_of_channel(timer_channel((int)fd));
}

void timers_channel_closed(uint16_t channel)
{
  struct timer *t = timer_of_channel(channel);
  if (t)
    *t = (struct timer){0};
}

/* ---- calls ---- */

static long make(const struct call *c)
{
  const long *a = c->arg;
  switch (c->number) {
  case SYS_alarm:
    return do_alarm((unsigned)a[0]);
  case SYS_setitimer:
    return do_setitimer((int)a[0], (const struct itimerval *)a[1], (struct itimerval *)a[2]);
  case SYS_getitimer:
    return do_setitimer((int)a[0], NULL, (struct itimerval *)a[1]);
  case SYS_timer_create:
    return do_create((clockid_t)a[0], (const struct sigevent *)a[1], (int *)a[2]);
  case SYS_timer_settime:
    return do_settime(timer_of((int)a[0]), a[1] & TIMER_ABSTIME, (const struct itimerspec *)a[2],
                      (struct itimerspec *)a[3]);
  case SYS_timer_gettime:
    return do_gettime(timer_of((int)a[0]), (struct itimerspec *)a[1]);
  case SYS_timer_getoverrun:
    return timer_of((int)a[0]) ? timer_of((int)a[0])->delivered : -EINVAL;
  case SYS_timer_delete:
    return do_delete(timer_of((int)a[0]));
  case SYS_timerfd_create:
    return do_timerfd_create((clockid_t)a[0], (int)a[1], c->pc);
  case SYS_timerfd_settime:
    if (!timer_of_fd(a[0]))
      return no_timer(a[0]);
    return do_settime(timer_of_fd(a[0]), a[1] & TFD_TIMER_ABSTIME, (const struct itimerspec *)a[2],
                      (struct itimerspec *)a[3]);
  case SYS_timerfd_gettime:
    return timer_of_fd(a[0]) ? do_gettime(timer_of_fd(a[0]), (struct itimerspec *)a[1]) : no_timer(a[0]);
  default:
    return UNKNOWN;
  }
}

bool timer_call(const struct call *c, long *result)
{
  switch (c->number) {
  case SYS_alarm:
  case SYS_setitimer:
  case SYS_timer_settime:
  case SYS_timer_delete:
  case SYS_timerfd_settime:
  case SYS_getitimer:
  case SYS_timer_gettime:
  case SYS_timer_getoverrun:
  case SYS_timerfd_gettime:
    step_on_everything(c->number, c->pc);
    break;
  }
  *result = make(c);
  return *result != UNKNOWN;
}

/* ---- libc's functions for timers, which would make threads and handlers of their own ---- */

static int answer(long result)
{
  if (result >= 0)
    return (int)result;
  errno = (int)-result;
  return -1;
}

EXPORT int timer_create(clockid_t clock, struct sigevent *event, timer_t *id)
{
  if (!hd_self)
    return REAL(timer_create)(clock, event, id);
  int number = 0;
  int result = answer(do_create(clock, event, &number));
  if (!result)
    *id = (timer_t)(intptr_t)number;
  return result;
}

#define NUMBER(id) ((int)(intptr_t)(id))

EXPORT int timer_settime(timer_t id, int flags, const struct itimerspec *to, struct itimerspec *old)
{
  if (!hd_self)
    return REAL(timer_settime)(id, flags, to, old);
  step_on_everything(SYS_timer_settime, CALLER());
  return answer(do_settime(timer_of(NUMBER(id)), flags & TIMER_ABSTIME, to, old));
}

EXPORT int timer_gettime(timer_t id, struct itimerspec *out)
{
  if (!hd_self)
    return REAL(timer_gettime)(id, out);
  step_on_everything(SYS_timer_gettime, CALLER());
  return answer(do_gettime(timer_of(NUMBER(id)), out));
}

EXPORT int timer_getoverrun(timer_t id)
{
  if (!hd_self)
    return REAL(timer_getoverrun)(id);
  step_on_everything(SYS_timer_getoverrun, CALLER());
  const struct timer *t = timer_of(NUMBER(id));
  return answer(t ? t->delivered : -EINVAL);
}

EXPORT int timer_delete(timer_t id)
{
  if (!hd_self)
    return REAL(timer_delete)(id);
  step_on_everything(SYS_timer_delete, CALLER());
  return answer(do_delete(timer_of(NUMBER(id))));
}
