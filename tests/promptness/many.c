/* SPDX-License-Identifier: Apache-2.0
 *
 * Four clerks, each of whom stamps a common ledger ten times: too many interleavings to see them all, none of them wrong.
 * -DWRONG: the last stamp may not be the third clerk's after the fourth's ninth, so there is something to find.
 */
#include <assert.h>
#include <pthread.h>

#define CLERKS 4
#define STAMPS 10

static pthread_mutex_t ledger = PTHREAD_MUTEX_INITIALIZER;
static int last = -1, stamps[CLERKS];

static void *clerk(void *arg)
{
  int me = (int)(long)arg;
  for (int i = 0; i < STAMPS; i++) {
    pthread_mutex_lock(&ledger);
    last = me;
    stamps[me]++;
    pthread_mutex_unlock(&ledger);
  }
  return NULL;
}

int main(void)
{
  pthread_t thread[CLERKS];
  for (long i = 0; i < CLERKS; i++)
    pthread_create(&thread[i], NULL, clerk, (void *)i);
  for (int i = 0; i < CLERKS; i++)
    pthread_join(thread[i], NULL);
#ifdef WRONG
  assert(last != 2);
#endif
  return 0;
}
