/* SPDX-License-Identifier: Apache-2.0
 *
 * Virtual time. No thread ever really sleeps: a sleep or a timed wait is a step, and time jumps to its deadline when it
 * ends that way. Every reading of a clock moves time on by a little, so that loops that wait for it come to an
 * end. */
#include "worlds/threads/system/time.h"
#include "worlds/threads/libc/announce.h"
#include "worlds/threads/memory/system_memory.h"
#include "worlds/threads/runtime.h"
#include "worlds/threads/system/own_numbers.h"
#include "worlds/threads/system/punctual.h"
#include "worlds/threads/system/timers.h"
#include <errno.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/times.h>
#include <unistd.h>

#define SECOND INT64_C(1000000000)
#define TICK 1000                            /* one reading of a clock */
#define BOOT (INT64_C(1000) * SECOND)        /* where the monotonic clock starts */
#define UNUSED_CLOCK 10                      /* a machine that is no more had one there */
#define EPOCH (INT64_C(2000000000) * SECOND) /* where the wall clock starts: a fixed day in 2033, after any file's */

/* Whose sleep or wait let time pass: 1 + the thread. 0: nobody's yet. */
#define SEVERAL UINT32_MAX
static struct {
  unsigned passed_for;
  int64_t put_on; /* by which the program set the wall clock */
} state SYSTEM;

void time_reset(void)
{
  rt.now = state.passed_for = 0;
  state.put_on = 0;
}

static bool counts_from_boot(clockid_t clock)
{
  return clock == CLOCK_MONOTONIC || clock == CLOCK_MONOTONIC_RAW || clock == CLOCK_MONOTONIC_COARSE ||
         clock == CLOCK_BOOTTIME;
}

static int64_t origin(clockid_t clock)
{
  if (counts_from_boot(clock))
    return BOOT;
  if (clock == CLOCK_THREAD_CPUTIME_ID && hd_self)
    return -(int64_t)self_thread()->began;
  if (clock == CLOCK_PROCESS_CPUTIME_ID || clock == CLOCK_THREAD_CPUTIME_ID)
    return -(int64_t)rt.process[hd_own.process].began;
  if (clock < 0)
    return -(int64_t)process_clock_began(clock);
  return EPOCH + state.put_on;
}

struct timespec virtual_now(clockid_t clock)
{
  int64_t now = origin(clock) + (int64_t)rt.now;
  return (struct timespec){now / SECOND, now % SECOND};
}

/* Between two looks of one thread at the clock the time of another may pass, which no search orders. */
static void note_look(void)
{
  struct thread *t = self_thread();
  t->clock_looks += t->clock_looks < 2;
  t->looked_from = rt.local[self_index()];
  if (t->clock_looks == 2 && state.passed_for && state.passed_for != 1 + self_index())
    lose(LOST_CLOCK);
}

/* A search takes the loop for one that waits for others only, but time would end it too. */
void time_note_round(uint64_t local)
{
  if (unlikely(local && self_thread()->looked_from == local))
    lose(LOST_CLOCK);
}

static void note_passing(void)
{
  unsigned me = 1 + self_index();
  state.passed_for = state.passed_for && state.passed_for != me ? SEVERAL : me;
  for (unsigned t = 0; t < rt.engine->threads; t++)
    if (rt.thread[t].clock_looks == 2 && state.passed_for != 1 + t)
      lose(LOST_CLOCK);
}

long set_wall_clock(const struct timespec *to)
{
  if (sys(SYS_geteuid) != 0)
    return -EPERM;
  if (to->tv_sec < 0 || to->tv_sec > INT64_C(9000000000) || to->tv_nsec < 0 || to->tv_nsec >= SECOND)
    return -EINVAL;
  int64_t before = state.put_on;
  state.put_on = to->tv_sec * SECOND + to->tv_nsec - EPOCH - (int64_t)rt.now;
  timers_follow_wall_clock(state.put_on - before);
  sleepers_follow_wall_clock(state.put_on - before);
  lose(LOST_CLOCK);
  return 0;
}

struct timespec virtual_time(clockid_t clock)
{
  if (hd_self)
    note_look();
  rt.now += TICK;
  return virtual_now(clock);
}

int64_t deadline_of(clockid_t clock, const struct timespec *at)
{
  if (at->tv_nsec < 0 || at->tv_nsec >= SECOND)
    return -1;
  if (at->tv_sec > INT64_C(9000000000))
    return INT64_MAX / 2;
  int64_t deadline = at->tv_sec * SECOND + at->tv_nsec - origin(clock);
  return deadline < 0 ? 0 : deadline;
}

void time_pass_until(int64_t deadline)
{
  while (timers_next() <= deadline)
    timers_expire(deadline);
  if (deadline <= (int64_t)rt.now)
    return;
  rt.now = (uint64_t)deadline;
  if (hd_self && rt.engine->threads > 1) {
    note_passing();
    time_passes_for_all();
  }
}

enum wait_end time_goes_on(int64_t deadline)
{
  struct thread *t = self_thread();
  if (timers_next() > deadline) {
    time_pass_until(deadline);
    return WAIT_IS_OVER;
  }
  do
    timers_expire(deadline);
  while (timers_next() <= (int64_t)rt.now);
  if (!signals_wait_for(self_index()))
    return WAIT_GOES_ON;
  uint64_t let_through = t->let_through;
  t->let_through = 0; /* for the wait, not for its handlers */
  enum interruption how = run_signals();
  t->let_through = let_through;
  return how == NOT_INTERRUPTED ? WAIT_GOES_ON : WAIT_INTERRUPTED;
}

/* Until the deadline, or a timer that sends this thread a signal: false. */
static bool sleep_until(int64_t deadline)
{
  enum wait_end end;
  do
    end = time_goes_on(deadline);
  while (end == WAIT_GOES_ON);
  return end == WAIT_IS_OVER;
}

bool clock_exists(clockid_t clock)
{
  return clock < 0 ? process_clock_exists(clock) : clock <= CLOCK_TAI && clock != UNUSED_CLOCK;
}

/* A loop that polls in short sleeps until an hour has passed is no livelock, but takes more rounds than anybody has
 * steps. A sleep may end late, and those of such a loop do, ever later: by as many ns. */
static int64_t lateness(int64_t length, uintptr_t pc)
{
  enum { ROUND = 16, ROUNDS = 256, DOUBLED_EVERY = 16, MOST = 40 };
  struct thread *t = self_thread();
  const bool again = t->sleeps_at == pc && rt.engine->step - t->slept_at <= ROUND;
  t->sleeps = again ? t->sleeps + 1 : 0;
  t->sleeps_at = pc;
  t->slept_at = rt.engine->step;
  if (rt.sleepers || t->sleeps < ROUNDS || length <= 0 || length > SECOND)
    return 0;
  lose(LOST_CLOCK); /* it might count its rounds */
  const uint32_t doubled = (t->sleeps - ROUNDS) / DOUBLED_EVERY;
  return length << (doubled < MOST ? doubled : MOST) / 2;
}

int virtual_sleep(clockid_t clock, bool absolute, const struct timespec *how_long, struct timespec *left, uintptr_t pc)
{
  if (!clock_exists(clock) || clock == CLOCK_THREAD_CPUTIME_ID)
    return EINVAL;
  int64_t deadline = absolute ? deadline_of(clock, how_long) : -1;
  if (!absolute && how_long->tv_nsec >= 0 && how_long->tv_nsec < SECOND && how_long->tv_sec >= 0)
    deadline = (int64_t)rt.now + how_long->tv_sec * SECOND + how_long->tv_nsec;
  if (deadline < 0)
    return EINVAL;
  check_cancel(pc);
  struct operation op = {.kind = OP_SLEEP, .pc = pc};
  ends_at(deadline);
  self_thread()->waits_by_wall_clock = absolute && clock == CLOCK_REALTIME;
  step(&op);
  self_thread()->waits_by_wall_clock = false;
  if (absolute)
    deadline = deadline_of(clock, how_long); /* the clock may have been set meanwhile */
  const int64_t late = lateness(deadline - (int64_t)rt.now, pc);
  bool whole = !self_thread()->interrupted && !cancel_wanted(self_index()) && sleep_until(deadline + late);
  self_thread()->interrupted = false;
  performed(whole ? 0 : EINTR);
  check_cancel(pc);
  int64_t rest = deadline > (int64_t)rt.now ? deadline - (int64_t)rt.now : 0;
  if (!whole && left && !absolute) {
    writes_for(left, sizeof *left, pc);
    *left = (struct timespec){rest / SECOND, rest % SECOND};
  }
  return whole ? 0 : EINTR;
}

EXPORT int clock_gettime(clockid_t clock, struct timespec *out)
{
  if (!hd_self)
    return REAL(clock_gettime)(clock, out);
  if (!clock_exists(clock)) {
    errno = EINVAL;
    return -1;
  }
  writes_for(out, sizeof *out, CALLER());
  *out = virtual_time(clock);
  return 0;
}

EXPORT int gettimeofday(struct timeval *restrict out, void *restrict zone)
{
  if (!hd_self)
    return REAL(gettimeofday)(out, zone);
  writes_for(out, sizeof *out, CALLER());
  struct timespec now = virtual_time(CLOCK_REALTIME);
  *out = (struct timeval){now.tv_sec, now.tv_nsec / 1000};
  return 0;
}

EXPORT time_t time(time_t *out)
{
  if (!hd_self)
    return REAL(time)(out);
  writes_for(out, sizeof *out, CALLER());
  time_t now = virtual_time(CLOCK_REALTIME).tv_sec;
  if (out)
    *out = now;
  return now;
}

EXPORT int timespec_get(struct timespec *out, int base)
{
  if (!hd_self)
    return REAL(timespec_get)(out, base);
  if (base != TIME_UTC)
    return 0;
  writes_for(out, sizeof *out, CALLER());
  *out = virtual_time(CLOCK_REALTIME);
  return base;
}

EXPORT clock_t clock(void)
{
  if (!hd_self)
    return REAL(clock)();
  struct timespec now = virtual_time(CLOCK_PROCESS_CPUTIME_ID);
  return now.tv_sec * CLOCKS_PER_SEC + now.tv_nsec / 1000;
}

EXPORT clock_t times(struct tms *out)
{
  if (!hd_self)
    return REAL(times)(out);
  struct timespec now = virtual_time(CLOCK_MONOTONIC), cpu = virtual_time(CLOCK_PROCESS_CPUTIME_ID);
  long hz = sysconf(_SC_CLK_TCK);
  if (out)
    *out = (struct tms){.tms_utime = cpu.tv_sec * hz + cpu.tv_nsec / (SECOND / hz),
                        .tms_cutime = (clock_t)(rt.process[hd_own.process].by_waited / (uint64_t)(SECOND / hz))};
  return now.tv_sec * hz + now.tv_nsec / (SECOND / hz);
}

EXPORT int nanosleep(const struct timespec *how_long, struct timespec *left)
{
  if (!hd_self)
    return REAL(nanosleep)(how_long, left);
  reads_for(how_long, sizeof *how_long, CALLER());
  int error = virtual_sleep(CLOCK_REALTIME, false, how_long, left, CALLER());
  if (!error)
    return 0;
  errno = error;
  return -1;
}

EXPORT int clock_nanosleep(clockid_t clock, int flags, const struct timespec *how_long, struct timespec *left)
{
  if (!hd_self)
    return REAL(clock_nanosleep)(clock, flags, how_long, left);
  reads_for(how_long, sizeof *how_long, CALLER());
  return virtual_sleep(clock, flags & TIMER_ABSTIME, how_long, left, CALLER());
}

EXPORT unsigned sleep(unsigned seconds)
{
  if (!hd_self)
    return REAL(sleep)(seconds);
  struct timespec how_long = {.tv_sec = seconds}, left = {0, 0};
  int before = errno, error = virtual_sleep(CLOCK_REALTIME, false, &how_long, &left, CALLER());
  errno = error ? error : before;
  return (unsigned)left.tv_sec; /* as libc has it: whole seconds */
}

EXPORT int usleep(useconds_t microseconds)
{
  if (!hd_self)
    return REAL(usleep)(microseconds);
  struct timespec how_long = {microseconds / 1000000, microseconds % 1000000 * 1000};
  int error = virtual_sleep(CLOCK_REALTIME, false, &how_long, NULL, CALLER());
  if (!error)
    return 0;
  errno = error;
  return -1;
}

int virtual_yield(uintptr_t pc)
{
  struct operation op = {.kind = OP_YIELD, .pc = pc};
  step(&op);
  check_async_cancel();
  return performed(0);
}

EXPORT int sched_yield(void)
{
  return hd_self ? virtual_yield(CALLER()) : REAL(sched_yield)();
}
