/* SPDX-License-Identifier: Apache-2.0
 *
 * The ways a program ends, from main and from other threads, and the ways it says that something is wrong.
 */
#include "case.h"
#include <assert.h>
#include <sys/syscall.h>
#include <sys/wait.h>

static int flag, handlers;

static void first_handler(void)
{
  EXPECT(handlers++ == 1);
  SEE("atexit", "runs_second");
}

static void second_handler(void)
{
  EXPECT(handlers++ == 0);
  SEE("atexit", "runs_first");
}

static void register_handlers(void)
{
  RETURNS(0, atexit, first_handler);
  RETURNS(0, atexit, second_handler);
}

static void *wait_for_ever(void *arg)
{
  while (!GET(flag))
    sched_yield();
  return arg;
}

static void *block_for_ever(void *arg)
{
  static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&m);
  SET(flag);
  pthread_mutex_lock(&m);
  return arg;
}

/* ---- exit, return from main ---- */

CASE(atexit, in_reverse_order, proceeds, runs_first, runs_second)
{
  register_handlers();
}

static void note_at_exit(int status, void *outcome)
{
  EXPECT(status == 2);
  SEE("on_exit", (const char *)outcome);
}

CASE_WITH("--exit-status 2", on_exit, is_told_the_status, proceeds, runs)
{
  RETURNS(0, on_exit, note_at_exit, (void *)"runs");
  exit(2);
}

/* What atexit and destructors of C++ are made of. */
int __cxa_atexit(void (*)(void *), void *, void *);

static void note_registered(void *outcome)
{
  SEE("__cxa_atexit", (const char *)outcome);
}

static void *register_late(void *arg)
{
  RETURNS(0, __cxa_atexit, note_registered, (void *)"in_time", NULL);
  SET(flag);
  return arg;
}

static void note_lateness(void *unused)
{
  (void)unused;
  if (!GET(flag))
    SEE("__cxa_atexit", "too_late");
}

CASE(__cxa_atexit, while_main_ends, proceeds, in_time, too_late)
{
  RETURNS(0, __cxa_atexit, note_lateness, NULL, NULL);
  start(register_late, NULL);
  exit(0);
}

CASE(return_from_main, with_threads_alive, ends_all)
{
  start(wait_for_ever, NULL);
  start(block_for_ever, NULL);
  register_handlers();
  SAW("ends_all");
}

CASE_WITH("--exit-status 3", exit, status, ends_all)
{
  register_handlers();
  SAW("ends_all");
  exit(3);
}

static void *exit_from_thread(void *arg)
{
  (void)arg;
  SEE("exit", "from_a_thread");
  exit(4);
}

CASE_WITH("--exit-status 4", exit, from_a_thread, from_a_thread, atexit:runs_second)
{
  register_handlers();
  start(exit_from_thread, NULL);
  wait_for_ever(NULL);
}

static void *exit_sometime(void *arg)
{
  (void)arg;
  exit(0);
}

static void handler_that_yields(void)
{
  let_others_run();
  SEE("exit", "others_run_during_handlers");
}

CASE(exit, while_others_run, others_run_during_handlers)
{
  atexit(handler_that_yields);
  start(wait_for_ever, NULL);
  start(exit_sometime, NULL);
  wait_for_ever(NULL);
}

BUG(exit, exit, wrong_status, "5")
{
  exit(5);
}

static void *add_newline(void *arg)
{
  fputs("    :: exit flushes\n", stdout);
  return arg;
}

CASE(exit, flushes_stdio, flushes)
{
  finish(start(add_newline, NULL));
}

/* ---- _exit, _Exit, quick_exit ---- */

static void never_to_run(void)
{
  EXPECT(!"a handler that must not run");
}

static void noted_at_quick_exit(void)
{
  SEE("quick_exit", "runs_its_handlers");
}

CASE_WITH("--exit-status 6", _exit, no_handlers, ends_all)
{
  atexit(never_to_run);
  start(wait_for_ever, NULL);
  SAW("ends_all");
  _exit(6);
}

CASE_WITH("--exit-status 7", _Exit, no_handlers, ends_all)
{
  atexit(never_to_run);
  SAW("ends_all");
  _Exit(7);
}

static void *exit_at_once(void *arg)
{
  (void)arg;
  SEE("_exit", "from_a_thread");
  _exit(8);
}

CASE_WITH("--exit-status 8", _exit, from_a_thread, from_a_thread)
{
  atexit(never_to_run);
  start(exit_at_once, NULL);
  wait_for_ever(NULL);
}

CASE_WITH("--exit-status 9", _exit, system_call)
{
  atexit(never_to_run);
  syscall(SYS_exit_group, 9);
}

CASE_WITH("--exit-status 10", quick_exit, its_own_handlers, runs_its_handlers)
{
  atexit(never_to_run);
  EXPECT(at_quick_exit(noted_at_quick_exit) == 0);
  quick_exit(10);
}

/* ---- abort, assert ---- */

BUG(crash, abort, in_main, "abort")
{
  abort();
}

static void *abort_there(void *arg)
{
  (void)arg;
  abort();
}

BUG(crash, abort, in_a_thread, "abort")
{
  finish(start(abort_there, NULL));
}

BUG(assertion, __assert_fail, in_main, "flag == 1")
{
  assert(flag == 1);
}

static void *assert_there(void *arg)
{
  assert(arg != NULL);
  return arg;
}

BUG(assertion, __assert_fail, in_a_thread, "arg != ")
{
  finish(start(assert_there, NULL));
}

BUG(assertion, __assert_perror_fail, with_an_error, "error")
{
  assert_perror(ENOENT);
}

BUG(crash, null_pointer, read_in_main, "null pointer")
{
  int *volatile p = NULL;
  flag = *p;
}

static void *divide(void *arg)
{
  volatile int dividend = 7, zero = 0;
  flag = dividend / zero;
  return arg;
}

BUG(crash, division_by_zero, in_a_thread, "SIGFPE")
{
  finish(start(divide, NULL));
}

static int recurse(volatile char *above)
{
  volatile char frame[4096];
  frame[0] = *above;
  return GET(flag) ? 0 : recurse(frame) + frame[0];
}

static void *recurse_there(void *arg)
{
  volatile char c = 1;
  flag = recurse(&c);
  return arg;
}

BUG(crash, stack_overflow, in_a_thread, "stack overflow")
{
  finish(start(recurse_there, NULL));
}

/* ---- processes ---- */

/* With children of its own a program runs without the filter and its output is its own: the exit status must tell. */
BUG(exit, fork, child_goes_on_alone, "12")
{
  pid_t child = fork();
  if (child == 0)
    _exit(12);
  int status;
  if (waitpid(child, &status, 0) == child && WIFEXITED(status))
    exit(WEXITSTATUS(status));
  exit(1);
}

BUG(exit, vfork, child_ends_at_once, "13")
{
  pid_t child = vfork();
  if (child == 0)
    _exit(13);
  int status;
  if (waitpid(child, &status, 0) == child && WIFEXITED(status))
    exit(WEXITSTATUS(status));
  exit(1);
}
