/* SPDX-License-Identifier: Apache-2.0
 *
 * Sleeping to wait for another thread.
 */
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/select.h>
#include <unistd.h>

static int started, local_turns, most, built;
static atomic_int finished;
extern int poll_devices(void);

static void *work(void *argument)
{
  started = 1;
  most = 3;
  atomic_store(&finished, 1);
  __atomic_store_n(&built, 1, __ATOMIC_RELEASE);
  return argument;
}

void polls(void)
{
  while (!started)
    usleep(1000); /* ! sleep-to-wait */
}

void hopes(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  sleep(1); /* ! sleep-to-wait */
}

void joins(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  pthread_join(thread, NULL);
  sleep(1); /* right sleep-to-wait */
}

/* It has something to do in each turn. */
void works(void)
{
  while (!started) {
    poll_devices();
    sleep(1); /* right sleep-to-wait */
  }
}

void retries(void)
{
  for (local_turns = 0; local_turns < 3; local_turns++)
    sleep(1); /* right sleep-to-wait */
}

/* Another thread may change how far it goes, but nobody waits for that. */
void goes_through_all(void)
{
  for (int i = 0; i < most; i++)
    sleep(1); /* right sleep-to-wait */
}

void counts_to_a_limit(void)
{
  for (int i = 0; !started && i < 10; i++)
    sleep(1); /* ! sleep-to-wait */
}

void polls_atomic(void)
{
  while (!atomic_load(&finished))
    usleep(10); /* ! sleep-to-wait */
}

void polls_builtin(void)
{
  while (__atomic_load_n(&built, __ATOMIC_ACQUIRE) == 0)
    usleep(10); /* ! sleep-to-wait */
}

void polls_nothing(void)
{
  while (!started)
    poll(NULL, 0, 10); /* ! sleep-to-wait */
}

void selects_nothing(void)
{
  while (!started) {
    struct timeval time = {.tv_usec = 10};
    select(0, NULL, NULL, NULL, &time); /* ! sleep-to-wait */
  }
}

void polls_something(struct pollfd *one)
{
  while (!started)
    poll(one, 1, 10); /* right sleep-to-wait */
}
