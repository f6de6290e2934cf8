/* SPDX-License-Identifier: Apache-2.0
 *
 * A service says "running" when it starts, and runs until it is told "stop". Main starts it, and soon tells it to
 * stop: before it has said "running", which then overwrites the order. The service runs for ever, and main waits for
 * it. In the twin only an idle service can begin to run.
 *
 * verdict: hang
 * threads: 2
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

enum { IDLE, RUNNING, STOP };

static atomic_int state = IDLE;

static void *service(void *arg)
{
#ifdef FIXED
  int idle = IDLE;
  atomic_compare_exchange_strong(&state, &idle, RUNNING);
#else
  state = RUNNING;
#endif
  while (state != STOP)
    sched_yield();
  return arg;
}

int main(void)
{
  pthread_t thread;

  pthread_create(&thread, NULL, service, NULL);
  state = STOP;
  pthread_join(thread, NULL);
  return 0;
}
