/* SPDX-License-Identifier: Apache-2.0
 *
 * A sleep that signals interrupt is resumed with the time that is left.
 *
 * verdict: quiet
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <time.h>

static void nothing(int number)
{
  (void)number;
}

static void *sender(void *target)
{
  pthread_kill(*(pthread_t *)target, SIGUSR1);
  return NULL;
}

int main(void)
{
  struct sigaction action = {.sa_handler = nothing};
  pthread_t self = pthread_self(), thread;
  struct timespec left = {0, 2000000}, before, after;
  sigaction(SIGUSR1, &action, NULL);
  clock_gettime(CLOCK_MONOTONIC, &before);
  pthread_create(&thread, NULL, sender, &self);
  while (nanosleep(&left, &left) != 0)
    assert(errno == EINTR);
  clock_gettime(CLOCK_MONOTONIC, &after);
  assert((after.tv_sec - before.tv_sec) * 1000000000 + after.tv_nsec - before.tv_nsec >= 2000000);
  pthread_join(thread, NULL);
  return 0;
}
