#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# --sleeps: programs that synchronise by sleeping show their races by default, and do what they were meant to do when time
# passes only when nothing else can go on. What is found either way is replayed.
. "$(dirname "$0")/lib.sh"

cat >late.c <<'C'
#include <assert.h>
#include <pthread.h>
#include <unistd.h>
static int x;
static void *set(void *unused) { sleep(1); x = 1; return unused; }
int main(void)
{
  pthread_t t;
  pthread_create(&t, NULL, set, NULL);
  sleep(2);
  assert(x == WANTED);
  pthread_join(t, NULL);
}
C
cat >waits.c <<'C'
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static sem_t sem;
static int ready;
static struct timespec in_seconds(int n)
{
  struct timespec t;
  clock_gettime(CLOCK_REALTIME, &t);
  t.tv_sec += n;
  return t;
}
static void *waiter(void *unused)
{
  struct timespec at = in_seconds(5);
  pthread_mutex_lock(&lock);
  while (!ready)
    assert(pthread_cond_timedwait(&cond, &lock, &at) == 0);
  pthread_mutex_unlock(&lock);
  at = in_seconds(5);
  assert(sem_timedwait(&sem, &at) == 0);
  assert(pthread_mutex_timedlock(&other, &at) == 0);
  assert(pthread_rwlock_timedrdlock(&rwlock, &at) == 0);
  at = in_seconds(1);
  assert(sem_timedwait(&sem, &at) == -1 && errno == ETIMEDOUT);
  return unused;
}
int main(void)
{
  pthread_t t;
  pthread_mutex_lock(&other);
  pthread_rwlock_wrlock(&rwlock);
  pthread_create(&t, NULL, waiter, NULL);
  sleep(1);
  pthread_mutex_lock(&lock);
  ready = 1;
  pthread_cond_signal(&cond);
  pthread_mutex_unlock(&lock);
  sleep(1);
  sem_post(&sem);
  sleep(1);
  pthread_mutex_unlock(&other);
  sleep(1);
  pthread_rwlock_unlock(&rwlock);
  struct timespec at = in_seconds(5);
  assert(pthread_timedjoin_np(t, NULL, &at) == 0);
}
C
"$heddle" cc -g -DWANTED=1 late.c -o late
"$heddle" cc -g -DWANTED=0 late.c -o early
"$heddle" cc -g -D_GNU_SOURCE waits.c -o waits

quiet="--races ignore"
for program in late waits; do
  # shellcheck disable=SC2086 # options
  {
    expect_status "$program: by default a sleep orders nothing" 1 "$heddle" run --strategy random --runs 300 $quiet ./$program
    expect_status "$program: rr takes its time" 0 "$heddle" run --strategy rr $quiet ./$program
    expect_status "$program: random in time" 0 "$heddle" run --strategy random --runs 300 --sleeps exact $quiet ./$program
    expect_status "$program: check in time" 0 "$heddle" check --sleeps exact --time 5s $quiet ./$program
    expect_output "$program: a search in time is no proof" 'not complete: .*its sleeps and timeouts ended only when' "$heddle" explore --sleeps exact $quiet ./$program
  }
done

# What is wrong in time, too.
expect_status "a bug that no timing hides" 1 "$heddle" check --sleeps exact $quiet --out found ./early
expect_output "is replayed" 'the bug shows again' "$heddle" replay found/*.hd
# Spinning does not keep a sleeper from waking.
cat >spins.c <<'C'
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>
static atomic_int go;
static void *wake(void *unused) { sleep(1); go = 1; return unused; }
int main(void)
{
  pthread_t t;
  pthread_create(&t, NULL, wake, NULL);
  while (!go)
    sched_yield();
  pthread_join(t, NULL);
}
C
"$heddle" cc -g spins.c -o spins
expect_status "who waits by looking lets time pass" 0 "$heddle" run --strategy random --runs 50 --sleeps exact ./spins
expect_status "under rr, too" 0 "$heddle" run --strategy rr ./spins

# Who wants a mutex back that a sleeper has does not keep the time from passing.
cat >held.c <<'C'
#include <errno.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static void *waiter(void *unused)
{
  struct timespec at;
  clock_gettime(CLOCK_REALTIME, &at);
  at.tv_sec += 2;
  pthread_mutex_lock(&lock);
  int error = pthread_cond_timedwait(&cond, &lock, &at);
  pthread_mutex_unlock(&lock);
  return error == ETIMEDOUT ? NULL : unused;
}
int main(void)
{
  pthread_t t;
  void *result;
  pthread_create(&t, NULL, waiter, "signalled");
  sleep(1);
  pthread_mutex_lock(&lock);
  sleep(3);
  pthread_mutex_unlock(&lock);
  pthread_join(t, &result);
  return result != NULL;
}
C
"$heddle" cc -g held.c -o held
expect_status "a mutex held over a sleep" 0 "$heddle" run --strategy rr ./held
expect_status "whatever the schedule" 0 "$heddle" run --strategy random --runs 100 --sleeps exact ./held
