/* SPDX-License-Identifier: Apache-2.0
 *
 * Signals that a program sends to itself and to its threads, and its handlers.
 */
#include "case.h"
#include <setjmp.h>
#include <signal.h>

static int caught, caught_by;
static pthread_t target;

static void note(int number)
{
  ADD(caught);
  __atomic_store_n(&caught_by, gettid(), __ATOMIC_SEQ_CST);
  SEE("sigaction", number == SIGUSR1 ? "runs_the_handler" : "runs_another");
}

static void handle(int number)
{
  struct sigaction action = {.sa_handler = note};
  RETURNS(0, sigaction, number, &action, NULL);
}

CASE(sigaction, raise_here, proceeds, runs_the_handler)
{
  handle(SIGUSR1);
  EXPECT(raise(SIGUSR1) == 0);
  EXPECT(caught == 1 && caught_by == gettid());
}

CASE(sigaction, kill_self)
{
  handle(SIGUSR1);
  EXPECT(kill(getpid(), SIGUSR1) == 0);
  EXPECT(caught == 1);
}

CASE(sigaction, errors, EINVAL)
{
  struct sigaction action = {.sa_handler = note};
  FAILS(EINVAL, sigaction, SIGKILL, &action, NULL);
  FAILS(EINVAL, sigaction, 0, &action, NULL);
  FAILS(EINVAL, sigaction, 99, &action, NULL);
}

static void note_info(int number, siginfo_t *info, void *context)
{
  EXPECT(info->si_signo == number && context);
  note(number);
}

CASE(sigaction, with_information, runs_the_handler)
{
  struct sigaction action = {.sa_sigaction = note_info, .sa_flags = SA_SIGINFO}, old;
  RETURNS(0, sigaction, SIGUSR1, &action, NULL);
  raise(SIGUSR1);
  EXPECT(caught == 1);
  RETURNS(0, sigaction, SIGUSR1, NULL, &old);
  EXPECT(old.sa_sigaction == note_info && old.sa_flags & SA_SIGINFO);
}

CASE(signal, handler_and_ignore, proceeds)
{
  EXPECT(signal(SIGUSR1, note) == SIG_DFL);
  raise(SIGUSR1);
  EXPECT(caught == 1);
  EXPECT(signal(SIGUSR1, SIG_IGN) == note);
  raise(SIGUSR1);
  EXPECT(caught == 1);
  SAW("proceeds");
}

CASE(signal, errors, EINVAL)
{
  errno = 0;
  EXPECT(signal(99, note) == SIG_ERR && errno == EINVAL);
  SAW("EINVAL");
}

static void *wait_until_caught(void *arg)
{
  while (!GET(caught))
    sched_yield();
  EXPECT(GET(caught_by) == gettid());
  return arg;
}

CASE(pthread_kill, runs_in_that_thread, proceeds)
{
  handle(SIGUSR1);
  target = start(wait_until_caught, NULL);
  RETURNS(0, pthread_kill, target, SIGUSR1);
  RETURNS(0, pthread_kill, target, 0);
  RETURNS(EINVAL, pthread_kill, pthread_self(), 99);
  finish(target);
}

CASE(pthread_sigmask, blocked_until_unblocked, proceeds)
{
  sigset_t set, old;
  handle(SIGUSR1);
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  RETURNS(0, pthread_sigmask, SIG_BLOCK, &set, &old);
  raise(SIGUSR1);
  sched_yield();
  EXPECT(!caught);
  RETURNS(0, pthread_sigmask, SIG_SETMASK, &old, NULL);
  EXPECT(caught == 1);
  RETURNS(EINVAL, pthread_sigmask, 77, &set, NULL);
}

BUG(crash, signal, default_action, "killed by SIGTERM")
{
  raise(SIGTERM);
}

CASE(signal, ignored_by_default)
{
  raise(SIGCHLD);
  raise(SIGURG);
}

CASE(sigaction, nothing_is_left_from_before)
{
  struct sigaction old;
  RETURNS(0, sigaction, SIGUSR2, NULL, &old);
  EXPECT(old.sa_handler == SIG_DFL);
  handle(SIGUSR2);
}

static void abort_caught(int number)
{
  (void)number;
  SEE("abort", "runs_the_handler");
  _exit(0);
}

CASE(abort, handler_of_sigabrt, runs_the_handler)
{
  signal(SIGABRT, abort_caught);
  abort();
}

/* ---- jumps out of a handler ---- */

static sigjmp_buf back;

static void jump(int number)
{
  siglongjmp(back, number);
}

static void jump_plainly(int number)
{
  longjmp(back, number);
}

static void jump_without_mask(int number)
{
  _longjmp(back, number);
}

/* What -D_FORTIFY_SOURCE makes of it. */
__attribute__((noreturn)) void __longjmp_chk(struct __jmp_buf_tag[1], int);

static void jump_checked(int number)
{
  __longjmp_chk(back, number);
}

static bool blocked(int number)
{
  sigset_t now;
  EXPECT(pthread_sigmask(SIG_BLOCK, NULL, &now) == 0);
  return sigismember(&now, number);
}

/* The handler is left for good: its signal is not blocked any more, and comes again. */
static void jump_out_twice(void (*handler)(int))
{
  static volatile int jumps;
  signal(SIGUSR1, handler);
  if (sigsetjmp(back, 1))
    jumps++;
  EXPECT(!blocked(SIGUSR1));
  if (jumps < 2)
    raise(SIGUSR1);
  EXPECT(jumps == 2);
}

CASE(siglongjmp, out_of_a_handler, leaves_the_handler)
{
  jump_out_twice(jump);
  SAW("leaves_the_handler");
}

CASE(longjmp, out_of_a_handler, leaves_the_handler)
{
  jump_out_twice(jump_plainly);
  SAW("leaves_the_handler");
}

CASE(_longjmp, out_of_a_handler, leaves_the_handler)
{
  jump_out_twice(jump_without_mask);
  SAW("leaves_the_handler");
}

CASE(__longjmp_chk, out_of_a_handler, leaves_the_handler)
{
  jump_out_twice(jump_checked);
  SAW("leaves_the_handler");
}
