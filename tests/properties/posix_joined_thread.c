/* SPDX-License-Identifier: Apache-2.0
 *
 * JoinedThread: two threads signal a third, which main has joined already, perhaps. Fixed: main joins them first. */
#include <pthread.h>
#include <signal.h>

static pthread_t worker;

static void *work(void *unused)
{
  return unused;
}

static void *visit(void *unused)
{
  pthread_kill(worker, 0);
  return unused;
}

int main(void)
{
  pthread_t visitor;
  pthread_create(&worker, NULL, work, NULL);
  pthread_create(&visitor, NULL, visit, NULL);
#ifdef FIXED
  pthread_join(visitor, NULL);
  pthread_join(worker, NULL);
#else
  pthread_join(worker, NULL);
  pthread_join(visitor, NULL);
#endif
  return 0;
}
