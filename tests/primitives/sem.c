/* SPDX-License-Identifier: Apache-2.0
 *
 * Semaphores, unnamed and named.
 */
#include "case.h"
#include <fcntl.h>
#include <limits.h>
#include <semaphore.h>
#include <stdint.h>

static sem_t s;

static void make(unsigned value)
{
  RETURNS(0, sem_init, &s, 0, value);
}

static void wait_for_it(void)
{
  RETURNS(0, sem_wait, &s);
}

static void post(void)
{
  RETURNS(0, sem_post, &s);
}

static int value(void)
{
  int now;
  RETURNS(0, sem_getvalue, &s, &now);
  return now;
}

/* ---- init, destroy ---- */

CASE(sem_init, values, proceeds, EINVAL)
{
  make(0);
  EXPECT(value() == 0);
  RETURNS(0, sem_destroy, &s);
  RETURNS(0, sem_init, &s, 1, SEM_VALUE_MAX);
  EXPECT(value() == SEM_VALUE_MAX);
  RETURNS(0, sem_destroy, &s);
  FAILS(EINVAL, sem_init, &s, 0, SEM_VALUE_MAX + 1u);
}

MISUSE(sem_init, awaited, "initialises a semaphore that threads wait for")
{
  make(0);
  start_call(wait_for_it);
  let_others_run();
  sem_init(&s, 0, 1);
  exit(0);
}

CASE(sem_destroy, then_init, proceeds)
{
  make(1);
  RETURNS(0, sem_destroy, &s);
  make(1);
  wait_for_it();
  RETURNS(0, sem_destroy, &s);
}

MISUSE(sem_destroy, awaited, "a semaphore that")
{
  make(0);
  start_call(wait_for_it);
  let_others_run();
  sem_destroy(&s);
}

MISUSE(sem_destroy, twice, "uses a semaphore that was destroyed")
{
  make(0);
  sem_destroy(&s);
  sem_destroy(&s);
}

/* ---- wait ---- */

CASE(sem_wait, positive, proceeds)
{
  make(2);
  wait_for_it();
  wait_for_it();
  EXPECT(value() == 0);
}

CASE(sem_wait, zero, blocks)
{
  make(0);
  blocks_until("sem_wait", wait_for_it, post);
}

static int winner;

static void *win(void *name)
{
  wait_for_it();
  if (ADD(winner) == 1)
    SEE("sem_post", (const char *)name);
  return NULL;
}

CASE(sem_post, wakes_any_one, wakes_a, wakes_b, wakes_c)
{
  static const char *const names[] = {"wakes_a", "wakes_b", "wakes_c"};
  make(0);
  for (int i = 0; i < 3; i++)
    start(win, (void *)names[i]);
  let_others_run();
  post();
  let_others_run();
  EXPECT(GET(winner) <= 1);
  exit(0);
}

DEADLOCK(sem_wait, never_posted, "waits for semaphore s, which nobody is left to post")
{
  make(0);
  sem_wait(&s);
}

DEADLOCK(sem_wait, posted_once_for_two, "waits for semaphore s, which nobody is left to post")
{
  make(0);
  pthread_t thread = start_call(wait_for_it);
  post();
  sem_wait(&s);
  finish(thread);
}

MISUSE(sem_wait, destroyed, "uses a semaphore that was destroyed")
{
  make(0);
  sem_destroy(&s);
  sem_wait(&s);
}

/* ---- trywait ---- */

static void try_it(void)
{
  int error = CALL_ERRNO(sem_trywait, &s);
  EXPECT(error == 0 || error == EAGAIN);
}

/* ---- threads that are more important than others ---- */

static int number_of[4], order[4], ended;

static void *wait_with_priority(void *which)
{
  int i = (int)(intptr_t)which;
  struct sched_param param = {.sched_priority = i == 0 ? 2 : 3};
  EXPECT(pthread_setschedparam(pthread_self(), SCHED_FIFO, &param) == 0);
  __atomic_store_n(&number_of[i], gettid(), __ATOMIC_SEQ_CST);
  EXPECT(sem_wait(&s) == 0);
  order[ADD(ended) - 1] = i;
  EXPECT(sem_post(&s) == 0);
  return NULL;
}

/* What the system says of the thread; looking at it changes nothing. */
static bool has_begun_to_wait(int number)
{
  char path[64], text[256] = "";
  snprintf(path, sizeof path, "/proc/self/task/%d/stat", number);
  int fd = open(path, O_RDONLY);
  EXPECT(fd >= 0 && read(fd, text, sizeof text - 1) > 0 && close(fd) == 0);
  return strstr(text, ") S ");
}

CASE(sem_post, for_the_most_important)
{
  pthread_t thread[3];
  struct sched_param param = {.sched_priority = 5}, none = {0};
  if (pthread_setschedparam(pthread_self(), SCHED_FIFO, &param))
    return; /* whoever may have none has nothing to see */
  EXPECT(pthread_setschedparam(pthread_self(), SCHED_OTHER, &none) == 0);
  EXPECT(sem_init(&s, 0, 0) == 0);
  for (int i = 0; i < 3; i++) {
    thread[i] = start(wait_with_priority, (void *)(intptr_t)i);
    while (!GET(number_of[i]) || !has_begun_to_wait(number_of[i]))
      sched_yield();
  }
  EXPECT(sem_post(&s) == 0);
  for (int i = 0; i < 3; i++)
    finish(thread[i]);
  EXPECT(order[0] == 1 && order[1] == 2 && order[2] == 0);
}

CASE(sem_trywait, posted_or_not, proceeds, EAGAIN)
{
  make(0);
  pthread_t thread = start_call(try_it);
  post();
  finish(thread);
}

MISUSE(sem_trywait, destroyed, "uses a semaphore that was destroyed")
{
  make(0);
  sem_destroy(&s);
  sem_trywait(&s);
}

/* ---- timedwait, clockwait ---- */

static int handed_over;

static void wait_five_seconds(void)
{
  struct timespec at = after(CLOCK_REALTIME, 5);
  int error = CALL_ERRNO(sem_timedwait, &s, &at);
  EXPECT(error == 0 ? handed_over : error == ETIMEDOUT && passed(CLOCK_REALTIME, at));
}

CASE(sem_timedwait, posted_or_not, proceeds, ETIMEDOUT)
{
  make(0);
  pthread_t thread = start_call(wait_five_seconds);
  handed_over = 1;
  post();
  finish(thread);
}

static bool timed_wait(void)
{
  struct timespec at = after(CLOCK_REALTIME, 1000);
  return CALL_ERRNO(sem_timedwait, &s, &at) == 0;
}

CASE(sem_timedwait, waits_for_the_post, blocks, ETIMEDOUT)
{
  make(0);
  blocks_until_or_times_out("sem_timedwait", timed_wait, post);
}

CASE(sem_timedwait, malformed_or_past, proceeds, ETIMEDOUT, EINVAL)
{
  make(0);
  FAILS(ETIMEDOUT, sem_timedwait, &s, &long_ago);
  FAILS(EINVAL, sem_timedwait, &s, &too_many_ns);
  FAILS(EINVAL, sem_timedwait, &s, &negative_ns);
  post();
  RETURNS(0, sem_timedwait, &s, &long_ago);
}

MISUSE(sem_timedwait, destroyed, "uses a semaphore that was destroyed")
{
  make(0);
  sem_destroy(&s);
  sem_timedwait(&s, &long_ago);
}

static void wait_on_clocks(void)
{
  static const clockid_t clocks[] = {CLOCK_REALTIME, CLOCK_MONOTONIC};
  for (size_t i = 0; i < LENGTH(clocks); i++) {
    struct timespec at = after(clocks[i], 5);
    int error = CALL_ERRNO(sem_clockwait, &s, clocks[i], &at);
    EXPECT(error == 0 || (error == ETIMEDOUT && passed(clocks[i], at)));
  }
}

CASE(sem_clockwait, posted_or_not, proceeds, ETIMEDOUT)
{
  make(0);
  pthread_t thread = start_call(wait_on_clocks);
  post();
  finish(thread);
}

static bool clock_wait(void)
{
  struct timespec at = after(CLOCK_MONOTONIC, 1000);
  return CALL_ERRNO(sem_clockwait, &s, CLOCK_MONOTONIC, &at) == 0;
}

CASE(sem_clockwait, waits_for_the_post, blocks, ETIMEDOUT)
{
  make(0);
  blocks_until_or_times_out("sem_clockwait", clock_wait, post);
}

CASE(sem_clockwait, malformed_or_past, ETIMEDOUT, EINVAL)
{
  make(0);
  FAILS(ETIMEDOUT, sem_clockwait, &s, CLOCK_MONOTONIC, &long_ago);
  FAILS(EINVAL, sem_clockwait, &s, CLOCK_MONOTONIC, &too_many_ns);
  FAILS(EINVAL, sem_clockwait, &s, CLOCK_REALTIME, &negative_ns);
}

CASE(sem_clockwait, no_such_clock, EINVAL)
{
  make(0);
  FAILS(EINVAL, sem_clockwait, &s, CLOCK_PROCESS_CPUTIME_ID, &long_ago);
}

MISUSE(sem_clockwait, destroyed, "uses a semaphore that was destroyed")
{
  make(0);
  sem_destroy(&s);
  sem_clockwait(&s, CLOCK_MONOTONIC, &long_ago);
}

/* ---- post, getvalue ---- */

CASE(sem_post, until_it_is_full, proceeds, EOVERFLOW)
{
  make(SEM_VALUE_MAX - 1);
  post();
  FAILS(EOVERFLOW, sem_post, &s);
  EXPECT(value() == SEM_VALUE_MAX);
  wait_for_it();
  post();
}

MISUSE(sem_post, destroyed, "uses a semaphore that was destroyed")
{
  make(0);
  sem_destroy(&s);
  sem_post(&s);
}

CASE(sem_getvalue, before_or_after_the_post, proceeds, sees_0, sees_1)
{
  make(0);
  pthread_t thread = start_call(post);
  int now = value();
  EXPECT(now == 0 || now == 1);
  SAW(now ? "sees_1" : "sees_0");
  finish(thread);
}

MISUSE(sem_getvalue, destroyed, "uses a semaphore that was destroyed")
{
  int now;
  make(0);
  sem_destroy(&s);
  sem_getvalue(&s, &now);
}

/* ---- named ---- */

#define NAME "/heddle-primitives"

static sem_t *opened(sem_t *sem)
{
  EXPECT(sem != SEM_FAILED);
  SEE("sem_open", "proceeds");
  return sem;
}

static void not_opened(sem_t *sem, int error, const char *name)
{
  EXPECT(sem == SEM_FAILED);
  EXPECT(errno == error);
  SEE("sem_open", name);
}

CASE(sem_open, create_and_open_again, proceeds)
{
  sem_t *a = opened(sem_open(NAME, O_CREAT, 0600, 1)), *b = opened(sem_open(NAME, 0));
  RETURNS(0, sem_wait, a);
  FAILS(EAGAIN, sem_trywait, b);
  RETURNS(0, sem_close, a);
  RETURNS(0, sem_post, b);
  RETURNS(0, sem_close, b);
}

CASE(sem_open, errors, ENOENT, EEXIST, EINVAL, ENAMETOOLONG)
{
  char longer[300];
  memset(longer, 'x', sizeof longer - 1);
  longer[0] = '/';
  longer[sizeof longer - 1] = 0;
  not_opened(sem_open(NAME, 0), ENOENT, "ENOENT");
  not_opened(sem_open(NAME, O_CREAT, 0600, SEM_VALUE_MAX + 1u), EINVAL, "EINVAL");
  opened(sem_open(NAME, O_CREAT | O_EXCL, 0600, 1));
  not_opened(sem_open(NAME, O_CREAT | O_EXCL, 0600, 1), EEXIST, "EEXIST");
  opened(sem_open(NAME, O_CREAT, 0600, 7));
  not_opened(sem_open(longer, O_CREAT, 0600, 1), ENAMETOOLONG, "ENAMETOOLONG");
  not_opened(sem_open("/", O_CREAT, 0600, 1), EINVAL, "EINVAL");
}

static void create_or_find(void)
{
  sem_t *sem = sem_open(NAME, O_CREAT | O_EXCL, 0600, 0);
  if (sem == SEM_FAILED) {
    EXPECT(errno == EEXIST);
    SAW("EEXIST");
    sem = opened(sem_open(NAME, 0));
  }
  RETURNS(0, sem_post, sem);
}

CASE(sem_open, two_threads_create, proceeds, EEXIST)
{
  pthread_t thread = start_call(create_or_find);
  create_or_find();
  finish(thread);
  sem_t *sem = opened(sem_open(NAME, 0));
  RETURNS(0, sem_wait, sem);
  RETURNS(0, sem_wait, sem);
  FAILS(EAGAIN, sem_trywait, sem);
}

static void look_then_create(void)
{
  if (sem_open(NAME, 0) == SEM_FAILED)
    SAW(sem_open(NAME, O_CREAT | O_EXCL, 0600, 0) == SEM_FAILED ? "created_in_between" : "created");
}

CASE(sem_open, another_thread_in_between, created, created_in_between)
{
  pthread_t thread = start_call(look_then_create);
  look_then_create();
  finish(thread);
}

static sem_t *shared;

static void wait_for_the_named(void)
{
  RETURNS(0, sem_wait, shared);
}

static void post_the_named(void)
{
  RETURNS(0, sem_post, shared);
}

CASE(sem_open, waits_like_an_unnamed_one, sem_wait:blocks)
{
  shared = opened(sem_open(NAME, O_CREAT, 0600, 0));
  blocks_until("sem_wait", wait_for_the_named, post_the_named);
}

CASE(sem_open, none_is_left_from_before, ENOENT)
{
  not_opened(sem_open(NAME, 0), ENOENT, "ENOENT");
  opened(sem_open(NAME, O_CREAT, 0600, 1));
}

CASE(sem_close, not_a_named_one, proceeds, EINVAL)
{
  sem_t *sem = opened(sem_open(NAME, O_CREAT, 0600, 1));
  make(0);
  FAILS(EINVAL, sem_close, &s);
  RETURNS(0, sem_close, sem);
}

MISUSE(sem_close, used_afterwards, "uses a semaphore that was closed")
{
  sem_t *sem = opened(sem_open(NAME, O_CREAT, 0600, 1));
  sem_close(sem);
  sem_wait(sem);
}

CASE(sem_unlink, the_name_goes_the_semaphore_stays, proceeds, ENOENT)
{
  sem_t *sem = opened(sem_open(NAME, O_CREAT, 0600, 1));
  RETURNS(0, sem_unlink, NAME);
  FAILS(ENOENT, sem_unlink, NAME);
  not_opened(sem_open(NAME, 0), ENOENT, "ENOENT");
  RETURNS(0, sem_wait, sem);
  sem_t *fresh = opened(sem_open(NAME, O_CREAT | O_EXCL, 0600, 3));
  EXPECT(fresh != sem);
  RETURNS(0, sem_close, sem);
  RETURNS(0, sem_unlink, NAME);
}
