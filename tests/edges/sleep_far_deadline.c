/* SPDX-License-Identifier: Apache-2.0
 *
 * Where sleeps are exact, no wait is over before others whose time comes earlier, however much else is done.
 *
 * verdict: quiet
 * options: --sleeps exact
 */
#include <assert.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;

static void *wait_long(void *unused)
{
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += 10000;
  pthread_mutex_timedlock(&held, &until);
  assert(!"comes before the end of the program");
  return unused;
}

static void *sleep_often(void *unused)
{
  for (;;)
    usleep(50);
  return unused;
}

int main(void)
{
  pthread_t thread;
  pthread_mutex_lock(&held);
  pthread_create(&thread, NULL, wait_long, NULL);
  pthread_create(&thread, NULL, sleep_often, NULL);
  sleep(1);
  _exit(0);
}
