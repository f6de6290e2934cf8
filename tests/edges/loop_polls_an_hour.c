/* SPDX-License-Identifier: Apache-2.0
 *
 * A loop that looks every few milliseconds whether something has come, and gives up after an hour: no livelock, though it
 * has more rounds than anybody counts.
 *
 * verdict: quiet
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <time.h>

static atomic_int come;

static void *visitor(void *unused)
{
  atomic_store(&come, 0);
  return unused;
}

int main(void)
{
  const struct timespec moment = {0, 64000000};
  struct timespec began, now;
  pthread_t thread;
  pthread_create(&thread, NULL, visitor, NULL);
  clock_gettime(CLOCK_MONOTONIC, &began);
  do {
    nanosleep(&moment, NULL);
    clock_gettime(CLOCK_MONOTONIC, &now);
  } while (!atomic_load(&come) && now.tv_sec - began.tv_sec < 3600);
  pthread_join(thread, NULL);
  return 0;
}
