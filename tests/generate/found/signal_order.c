/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether the signal comes before or after the thread's own step is a choice, even if there is no other one; and the
 * handler of a signal that was sent before the thread began runs at the same place in a replay.
 * verdict: crash
 */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>

static _Atomic int count;
static int private_one[4];

static void handle(int number)
{
  (void)number;
  count++;
}

static void *work(void *arg)
{
  for (int i = 0; i < 4; i++)
    private_one[i] = i;
  if (count++ == 1)
    abort();
  return arg;
}

int main(void)
{
  pthread_t thread;
  signal(SIGUSR1, handle);
  pthread_create(&thread, NULL, work, NULL);
  pthread_kill(thread, SIGUSR1);
  pthread_join(thread, NULL);
  return 0;
}
