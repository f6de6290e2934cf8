/* SPDX-License-Identifier: Apache-2.0
 *
 * The time that a process has used begins with it: a child's is less than its parent's when it forked, by whichever
 * name of the clock; what it used is its parent's who waited for it.
 *
 * verdict: quiet
 */
#include <assert.h>
#include <sys/times.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double used(clockid_t clock)
{
  struct timespec at;
  assert(clock_gettime(clock, &at) == 0);
  return (double)at.tv_sec + (double)at.tv_nsec / 1e9;
}

static double used_by(pid_t process)
{
  clockid_t clock;
  assert(clock_getcpuclockid(process, &clock) == 0);
  return used(clock);
}

int main(void)
{
  struct tms ticks, child_ticks;
  while (used(CLOCK_PROCESS_CPUTIME_ID) < 0.05)
    continue;
  times(&ticks);
  double before = used(CLOCK_PROCESS_CPUTIME_ID);
  pid_t child = fork();
  if (!child) {
    times(&child_ticks);
    assert(used(CLOCK_PROCESS_CPUTIME_ID) < before);
    assert(used_by(0) < before && used_by(getpid()) < before && used_by(getppid()) >= before);
    assert(used(CLOCK_THREAD_CPUTIME_ID) < before);
    assert(child_ticks.tms_utime + child_ticks.tms_stime <= ticks.tms_utime + ticks.tms_stime);
    while (used(CLOCK_PROCESS_CPUTIME_ID) < 0.05)
      continue;
    _exit(0);
  }
  int status;
  assert(waitpid(child, &status, 0) == child && status == 0);
  times(&ticks);
  assert(ticks.tms_cutime + ticks.tms_cstime > 0);
  return 0;
}
