/* SPDX-License-Identifier: Apache-2.0
 *
 * A thread that tells of something (SIGEV_THREAD) has the attributes that it was asked for with.
 *
 * verdict: quiet
 */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

static sem_t told;
static size_t guard;

static void tell(union sigval value)
{
  pthread_attr_t attr;
  assert(pthread_getattr_np(pthread_self(), &attr) == 0);
  assert(pthread_attr_getguardsize(&attr, &guard) == 0);
  pthread_attr_destroy(&attr);
  sem_post(&told);
}

int main(void)
{
  pthread_attr_t attr;
  timer_t timer;
  size_t wanted = 3 * (size_t)sysconf(_SC_PAGESIZE);
  sem_init(&told, 0, 0);
  pthread_attr_init(&attr);
  pthread_attr_setguardsize(&attr, wanted);
  struct sigevent event = {
      .sigev_notify = SIGEV_THREAD, .sigev_notify_function = tell, .sigev_notify_attributes = &attr};
  assert(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
  struct itimerspec soon = {.it_value.tv_nsec = 1000};
  assert(timer_settime(timer, 0, &soon, NULL) == 0);
  sem_wait(&told);
  assert(guard == wanted);
  return 0;
}
