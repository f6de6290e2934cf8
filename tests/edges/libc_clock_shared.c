/* SPDX-License-Identifier: Apache-2.0
 *
 * The time is left where main looks whether it was asked for.
 *
 * verdict: find
 */
#include <assert.h>
#include <pthread.h>
#include <time.h>

static struct timespec now;

static void *work(void *unused)
{
  clock_gettime(CLOCK_REALTIME, &now);
  return unused;
}

int main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  long seen = __atomic_load_n(&now.tv_sec, __ATOMIC_SEQ_CST);
  pthread_join(thread, NULL);
  assert(seen == 0);
  return 0;
}
