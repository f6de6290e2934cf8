/* SPDX-License-Identifier: Apache-2.0
 *
 * Signals that wait: which are pending and for whom, in which order they are taken and with what, who takes one that is
 * for the process, and how a handler runs.
 */
#include "case.h"
#include <signal.h>
#include <sys/resource.h>
#include <ucontext.h>

static sigset_t some;
static int taken[8], values[8], count;
static siginfo_t last;

static void take(int number, siginfo_t *info, void *context)
{
  (void)context;
  taken[count] = number;
  values[count++] = info->si_value.sival_int;
  last = *info;
}

static void handle_with(int number, int flags)
{
  struct sigaction action = {.sa_sigaction = take, .sa_flags = SA_SIGINFO | flags};
  EXPECT(sigaction(number, &action, NULL) == 0);
}

static void block(int first, int second)
{
  sigemptyset(&some);
  sigaddset(&some, first);
  sigaddset(&some, second);
  EXPECT(pthread_sigmask(SIG_BLOCK, &some, NULL) == 0);
}

static bool waits(int number)
{
  sigset_t now;
  EXPECT(sigpending(&now) == 0);
  return sigismember(&now, number);
}

/* ---- sigpending ---- */

static void nothing_waits_here(void)
{
  EXPECT(!waits(SIGUSR1) && waits(SIGUSR2));
}

CASE(sigpending, of_the_thread_and_of_the_process, of_the_thread, of_the_process)
{
  block(SIGUSR1, SIGUSR2);
  EXPECT(raise(SIGUSR1) == 0 && kill(getpid(), SIGUSR2) == 0);
  EXPECT(waits(SIGUSR1) && waits(SIGUSR2) && !waits(SIGTERM));
  elsewhere(nothing_waits_here);
  SAW("of_the_thread");
  SAW("of_the_process");
}

CASE(sigpending, ignored, forgotten, kept)
{
  block(SIGUSR1, SIGUSR2);
  signal(SIGUSR1, SIG_IGN);
  raise(SIGUSR1); /* blocked, so it may be waited for all the same */
  EXPECT(waits(SIGUSR1));
  SAW("kept");
  raise(SIGUSR2);
  signal(SIGUSR2, SIG_IGN);
  EXPECT(!waits(SIGUSR2));
  SAW("forgotten");
}

CASE(sigpending, stop_and_continue, forgotten)
{
  block(SIGTSTP, SIGCONT);
  EXPECT(kill(getpid(), SIGTSTP) == 0 && waits(SIGTSTP));
  EXPECT(kill(getpid(), SIGCONT) == 0 && waits(SIGCONT) && !waits(SIGTSTP));
  EXPECT(raise(SIGTSTP) == 0 && !waits(SIGCONT));
  EXPECT(kill(getpid(), SIGCONT) == 0);
  SAW("forgotten");
}

/* ---- sigqueue ---- */

static void queue(int number, int value)
{
  RETURNS(0, sigqueue, getpid(), number, (union sigval){.sival_int = value});
}

CASE(sigqueue, lowest_first_and_in_order, proceeds, in_order)
{
  block(SIGRTMIN, SIGRTMIN + 1);
  queue(SIGRTMIN + 1, 3);
  queue(SIGRTMIN, 1);
  queue(SIGRTMIN, 2);
  queue(SIGRTMIN + 1, 4);
  for (int i = 1; i <= 4; i++) {
    siginfo_t info;
    EXPECT(sigwaitinfo(&some, &info) == SIGRTMIN + (i > 2));
    EXPECT(info.si_value.sival_int == i && info.si_code == SI_QUEUE);
    EXPECT(info.si_pid == getpid() && info.si_uid == getuid());
  }
  EXPECT(!waits(SIGRTMIN) && !waits(SIGRTMIN + 1));
  SAW("in_order");
}

CASE(sigqueue, one_of_a_kind, once)
{
  block(SIGUSR1, SIGUSR2);
  handle_with(SIGUSR1, 0);
  queue(SIGUSR1, 1);
  queue(SIGUSR1, 2);
  pthread_sigmask(SIG_UNBLOCK, &some, NULL);
  EXPECT(count == 1 && values[0] == 1);
  SAW("once");
}

CASE(sigqueue, errors, EAGAIN, EINVAL, ESRCH)
{
  struct rlimit few = {2, 2};
  union sigval none = {0};
  block(SIGRTMIN, SIGUSR1);
  EXPECT(setrlimit(RLIMIT_SIGPENDING, &few) == 0);
  queue(SIGRTMIN, 1);
  queue(SIGRTMIN, 2);
  FAILS(EAGAIN, sigqueue, getpid(), SIGRTMIN, none);
  EXPECT(kill(getpid(), SIGUSR1) == 0 && waits(SIGUSR1)); /* which needs no room */
  FAILS(EINVAL, sigqueue, getpid(), 99, none);
  EXPECT(sigqueue(getpid(), 0, none) == 0);
  FAILS(ESRCH, sigqueue, 4000000, 0, none);
  FAILS(ESRCH, sigqueue, 4000000, SIGUSR1, none);
}

CASE(sigqueue, many, many)
{
  enum { MANY = 3000 };
  block(SIGRTMIN, SIGRTMAX);
  for (int i = 0; i < MANY; i++)
    EXPECT(sigqueue(getpid(), SIGRTMIN, (union sigval){.sival_int = i}) == 0);
  for (int i = 0; i < MANY; i++) {
    siginfo_t info;
    EXPECT(sigtimedwait(&some, &info, &(struct timespec){0, 0}) == SIGRTMIN && info.si_value.sival_int == i);
  }
  EXPECT(sigtimedwait(&some, NULL, &(struct timespec){0, 0}) == -1 && errno == EAGAIN);
  SAW("many");
}

/* ---- what comes with it ---- */

CASE(kill, tells_who, SI_USER, SI_TKILL)
{
  handle_with(SIGUSR1, 0);
  EXPECT(kill(getpid(), SIGUSR1) == 0);
  EXPECT(last.si_code == SI_USER && last.si_pid == getpid() && last.si_uid == getuid());
  SAW("SI_USER");
  EXPECT(raise(SIGUSR1) == 0);
  EXPECT(last.si_code == SI_TKILL && last.si_pid == getpid());
  SAW("SI_TKILL");
}

/* ---- who takes it ---- */

static int runs_in;

static void note_where(int number)
{
  (void)number;
  SET(runs_in);
  SEE("kill", getpid() == gettid() ? "taken_by_main" : "taken_by_another");
}

static void until_taken(void)
{
  while (!GET(runs_in))
    sched_yield();
}

CASE(kill, whoever_does_not_block_it, taken_by_main, taken_by_another)
{
  signal(SIGUSR1, note_where);
  pthread_t thread = start_call(until_taken);
  EXPECT(kill(getpid(), SIGUSR1) == 0);
  until_taken();
  finish(thread);
}

static void block_and_send(void)
{
  EXPECT(pthread_sigmask(SIG_BLOCK, &some, NULL) == 0);
  EXPECT(kill(getpid(), SIGUSR1) == 0);
}

CASE(kill, not_who_blocks_it, taken_by_main)
{
  signal(SIGUSR1, note_where);
  sigemptyset(&some);
  sigaddset(&some, SIGUSR1);
  elsewhere(block_and_send);
  EXPECT(GET(runs_in));
}

static void wait_for_it(void)
{
  int number;
  EXPECT(sigwait(&some, &number) == 0 && number == SIGUSR1);
  ADD(count);
}

CASE(sigwait, each_gets_one, proceeds)
{
  block(SIGUSR1, SIGUSR1);
  pthread_t a = start_call(wait_for_it), b = start_call(wait_for_it);
  EXPECT(kill(getpid(), SIGUSR1) == 0);
  while (GET(count) < 1)
    sched_yield();
  let_others_run();
  EXPECT(GET(count) == 1);
  EXPECT(kill(getpid(), SIGUSR1) == 0);
  finish(a);
  finish(b);
  SAW("proceeds");
}

/* ---- alternate stacks ---- */

static char *lower, *upper;
static char room[65536];
static stack_t own = {.ss_sp = room, .ss_size = sizeof room};

static void look_at_stack(int number)
{
  char local;
  stack_t now;
  EXPECT((&local >= lower && &local < upper) == (number == SIGUSR1));
  EXPECT(sigaltstack(NULL, &now) == 0);
  EXPECT(!(now.ss_flags & SS_ONSTACK) == (number != SIGUSR1));
  if (number == SIGUSR1)
    FAILS(EPERM, sigaltstack, &own, NULL);
  sched_yield(); /* others may run meanwhile, on theirs */
  count++;
}

static void on_stack(int number, int flags)
{
  struct sigaction action = {.sa_handler = look_at_stack, .sa_flags = flags};
  EXPECT(sigaction(number, &action, NULL) == 0);
}

CASE(sigaltstack, where_the_handler_runs, proceeds, EPERM)
{
  stack_t old;
  lower = room;
  upper = room + sizeof room;
  RETURNS(0, sigaltstack, &own, &old);
  EXPECT(old.ss_flags == SS_DISABLE);
  on_stack(SIGUSR1, SA_ONSTACK);
  on_stack(SIGUSR2, 0);
  pthread_t thread = start_call(let_others_run);
  EXPECT(raise(SIGUSR1) == 0 && raise(SIGUSR2) == 0 && raise(SIGUSR1) == 0);
  EXPECT(count == 3);
  RETURNS(0, sigaltstack, NULL, &old);
  EXPECT(old.ss_sp == room && old.ss_flags == 0 && old.ss_size == sizeof room);
  finish(thread);
}

CASE(sigaltstack, a_small_one, proceeds)
{
  enum { SMALL = 8192 };
  stack_t small = {.ss_sp = room + SMALL, .ss_size = SMALL}, old;
  lower = small.ss_sp;
  upper = lower + SMALL;
  memset(room, 0x5a, SMALL);
  RETURNS(0, sigaltstack, &small, &old);
  on_stack(SIGUSR1, SA_ONSTACK);
  pthread_t thread = start_call(let_others_run);
  EXPECT(raise(SIGUSR1) == 0 && raise(SIGUSR1) == 0);
  EXPECT(count == 2);
  for (size_t i = 0; i < SMALL; i++)
    EXPECT(room[i] == 0x5a); /* nothing but the handler uses it */
  finish(thread);
}

CASE(sigaltstack, errors, EINVAL, ENOMEM)
{
  stack_t small = {.ss_sp = room, .ss_size = 1024}, odd = {.ss_sp = room, .ss_size = sizeof room, .ss_flags = 3};
  FAILS(ENOMEM, sigaltstack, &small, NULL);
  FAILS(EINVAL, sigaltstack, &odd, NULL);
}

/* ---- how a handler runs ---- */

static void again(int number)
{
  if (++count < 3)
    raise(number);
}

CASE(sigaction, handler_of_its_own_signal, at_once, afterwards)
{
  struct sigaction action = {.sa_handler = again, .sa_flags = SA_NODEFER};
  EXPECT(sigaction(SIGUSR1, &action, NULL) == 0 && raise(SIGUSR1) == 0 && count == 3);
  SAW("at_once");
  action.sa_flags = count = 0;
  EXPECT(sigaction(SIGUSR1, &action, NULL) == 0 && raise(SIGUSR1) == 0 && count == 3);
  SAW("afterwards");
}

CASE(sigaction, once_only, once)
{
  struct sigaction now;
  handle_with(SIGUSR1, SA_RESETHAND);
  raise(SIGUSR1);
  EXPECT(sigaction(SIGUSR1, NULL, &now) == 0 && now.sa_handler == SIG_DFL && count == 1);
  SAW("once");
}

static void unblock_after(int number, siginfo_t *info, void *context)
{
  (void)number, (void)info;
  sigdelset(&((ucontext_t *)context)->uc_sigmask, SIGUSR2);
}

CASE(sigaction, mask_to_return_to, changed)
{
  struct sigaction action = {.sa_sigaction = unblock_after, .sa_flags = SA_SIGINFO};
  block(SIGUSR2, SIGUSR2);
  handle_with(SIGUSR2, 0);
  EXPECT(sigaction(SIGUSR1, &action, NULL) == 0);
  raise(SIGUSR2);
  EXPECT(count == 0);
  raise(SIGUSR1);
  EXPECT(count == 1);
  SAW("changed");
}
