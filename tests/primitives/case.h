/* SPDX-License-Identifier: Apache-2.0
 *
 * Test cases of the primitives: many small ones in one program, each started by its name. tests/e2e/primitives.sh runs
 * every one of them under many schedules and makes the matrix of function and outcome out of what they say.
 *
 *   CASE(subject, name, outcomes...)      holds under every schedule; the outcomes are all seen, each under some
 *   CASE_WITH(options, subject, name, ..) the same, run with these options of heddle
 *   MISUSE(subject, name, text)           heddle finds a bug of kind property whose message contains the text
 *   DEADLOCK(subject, name, text)         ... of kind deadlock
 *   RACE(subject, name, text)             ... of kind race, at the first of which it ends
 *   BUG(kind, subject, name, text)        ... of that kind
 *
 * The subject is the function under test: the row of the matrix. Outcomes are its columns. What happened is told by
 *
 *   RETURNS(EBUSY, pthread_mutex_trylock, &m)   calls it, demands that result, notes the outcome EBUSY (0: proceeds)
 *   FAILS(EAGAIN, sem_trywait, &s)              the same for functions that return -1 and set errno
 *   CALL(pthread_mutex_trylock, &m)             calls it, notes whatever it returned and gives it back
 *   CALL_ERRNO(sem_trywait, &s)                 calls it, gives back 0 or errno
 *   SAW(outcome), SEE(function, outcome)        notes an outcome of the subject, of another function
 *   SAME(what, format, value)                   the value is the same in all executions and processes
 *
 * An outcome in the list of CASE is one of the subject, or function:outcome.
 */
#ifndef HEDDLE_TESTS_PRIMITIVES_CASE_H
#define HEDDLE_TESTS_PRIMITIVES_CASE_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <sys/syscall.h>
#include <unistd.h>

#define HELPER static __attribute__((unused))

struct primitive_case {
  const char *subject, *name, *verdict, *options, *text, *outcomes;
  void (*run)(void);
};

#define CASE_OF(verdict, options, text, outcomes, subject, name)                                             \
  static void run_##subject##_##name(void);                                                                  \
  static const struct primitive_case case_##subject##_##name = {                                             \
      #subject, #name, verdict, options, text, outcomes, run_##subject##_##name};                            \
  static const struct primitive_case *const entry_##subject##_##name                                         \
      __attribute__((section("cases"), used)) = &case_##subject##_##name;                                    \
  static void run_##subject##_##name(void)

#define CASE(subject, name, ...) CASE_OF("pass", "", "", #__VA_ARGS__, subject, name)
#define CASE_WITH(options, subject, name, ...) CASE_OF("pass", options, "", #__VA_ARGS__, subject, name)
#define BUG(kind, subject, name, text) CASE_OF(#kind, "", text, "", subject, name)
#define MISUSE(subject, name, text) BUG(property, subject, name, text)
#define RACE(subject, name, text) CASE_OF("race", "--races fail", text, "", subject, name)
#define DEADLOCK(subject, name, text) BUG(deadlock, subject, name, text)

extern const struct primitive_case *const __start_cases[], *const __stop_cases[];
static const struct primitive_case *running;

/* ---- telling what happened: whole lines, past stdio, which a case may leave without flushing ---- */

HELPER void tell(const char *kind, const char *what, const char *value)
{
  char line[256];
  int n = snprintf(line, sizeof line, "%s %s %s\n", kind, what, value);
  if (syscall(SYS_write, 1, line, (size_t)n) != n) /* write() is a cancellation point */
    abort();
}

#define SEE(function, outcome) tell("::", function, outcome)
#define SAW(outcome) tell("::", running->subject, outcome)
#define SAME(what, format, value)                                                                            \
  do {                                                                                                       \
    char text_[128];                                                                                         \
    snprintf(text_, sizeof text_, format, value);                                                            \
    tell("==", what, text_);                                                                                 \
  } while (0)

#define EXPECT(condition) assert(condition)

/* The name of an outcome from the text of the expected result. */
HELPER const char *outcome_name(const char *expected)
{
  return !strcmp(expected, "0") || !strcmp(expected, "thrd_success") ? "proceeds" : expected;
}

HELPER int note_result(const char *function, int result)
{
  SEE(function, result ? strerrorname_np(result) : "proceeds");
  return result;
}

HELPER void expect_result(const char *function, int got, int expected, const char *text, const char *file, int line)
{
  if (got != expected) {
    char message[128];
    snprintf(message, sizeof message, "%s returns %d, not %s", function, got, text);
    __assert_fail(message, file, (unsigned)line, running->name);
  }
  SEE(function, outcome_name(text));
}

#define RETURNS(expected, function, ...)                                                                     \
  expect_result(#function, (int)function(__VA_ARGS__), expected, #expected, __FILE__, __LINE__)
#define FAILS(error, function, ...)                                                                          \
  expect_result(#function, function(__VA_ARGS__) == -1 ? errno : 0, error, #error, __FILE__, __LINE__)
#define CALL(function, ...) note_result(#function, (int)function(__VA_ARGS__))
#define CALL_ERRNO(function, ...) note_result(#function, function(__VA_ARGS__) ? errno : 0)

/* ---- threads and flags; a flag is an atomic variable, so looking at it is not a race ---- */

#define SET(flag) __atomic_store_n(&(flag), 1, __ATOMIC_SEQ_CST)
#define ADD(counter) __atomic_add_fetch(&(counter), 1, __ATOMIC_SEQ_CST)
#define GET(flag) __atomic_load_n(&(flag), __ATOMIC_SEQ_CST)
#define LENGTH(array) (sizeof(array) / sizeof *(array))

HELPER pthread_t start(void *(*body)(void *), void *arg)
{
  pthread_t thread;
  EXPECT(pthread_create(&thread, NULL, body, arg) == 0);
  return thread;
}

HELPER void *finish(pthread_t thread)
{
  void *result;
  EXPECT(pthread_join(thread, &result) == 0);
  return result;
}

HELPER void *call_it(void *function)
{
  ((void (*)(void))function)();
  return NULL;
}

HELPER pthread_t start_call(void (*function)(void))
{
  return start(call_it, (void *)function);
}

/* In another thread, from beginning to end. */
HELPER void elsewhere(void (*function)(void))
{
  finish(start_call(function));
}

HELPER void let_others_run(void)
{
  for (int i = 0; i < 4; i++)
    sched_yield();
}

/* ---- that a call blocks ---- */

static int entered_, left_;
static int handed_over_; /* plain: what comes after the wait is ordered after what came before the release */

HELPER void *blocked_call(void *wait)
{
  SET(entered_);
  ((void (*)(void))wait)();
  EXPECT(handed_over_ == 1);
  SET(left_);
  return NULL;
}

/* In another thread `wait` does not return before `release` was called, and does return then. The function is seen to
 * block when it was called so early that it had to. */
HELPER void blocks_until(const char *function, void (*wait)(void), void (*release)(void))
{
  pthread_t waiter = start(blocked_call, (void *)wait);
  let_others_run();
  EXPECT(!GET(left_));
  if (GET(entered_))
    SEE(function, "blocks");
  handed_over_ = 1;
  release();
  finish(waiter);
  EXPECT(GET(left_));
}

static int early_, released_;
static bool (*timed_call_)(void);

HELPER void *call_timed(void *function)
{
  SET(entered_);
  if (timed_call_()) {
    EXPECT(GET(released_));
    if (GET(early_))
      SEE((const char *)function, "blocks");
  }
  return NULL;
}

/* The same for calls that may give up: `wait` tells whether it succeeded. */
HELPER void blocks_until_or_times_out(const char *function, bool (*wait)(void), void (*release)(void))
{
  timed_call_ = wait;
  pthread_t waiter = start(call_timed, (void *)function);
  sched_yield();
  sched_yield();
  if (GET(entered_))
    SET(early_);
  SET(released_);
  release();
  finish(waiter);
}

/* ---- time ---- */

HELPER struct timespec now_on(clockid_t clock)
{
  struct timespec now;
  EXPECT(clock_gettime(clock, &now) == 0);
  return now;
}

HELPER struct timespec after(clockid_t clock, time_t seconds)
{
  struct timespec at = now_on(clock);
  at.tv_sec += seconds;
  return at;
}

HELPER bool passed(clockid_t clock, struct timespec at)
{
  struct timespec now = now_on(clock);
  return now.tv_sec > at.tv_sec || (now.tv_sec == at.tv_sec && now.tv_nsec >= at.tv_nsec);
}

static const struct timespec long_ago __attribute__((unused)) = {1, 0};
static const struct timespec too_many_ns __attribute__((unused)) = {1, 1000000000};
static const struct timespec negative_ns __attribute__((unused)) = {1, -1};

/* ---- the program: without an argument it lists its cases, with one it runs that case ---- */

int main(int argc, char **argv)
{
  for (const struct primitive_case *const *c = __start_cases; c < __stop_cases; c++) {
    running = *c;
    char name[128];
    snprintf(name, sizeof name, "%s.%s", running->subject, running->name);
    if (argc < 2)
      printf("%s\t%s\t%s\t%s\t%s\n", name, running->verdict, running->outcomes, running->options, running->text);
    else if (!strcmp(argv[1], name)) {
      running->run();
      return 0;
    }
  }
  return argc < 2 ? 0 : 2;
}

#endif
