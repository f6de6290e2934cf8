/* SPDX-License-Identifier: Apache-2.0
 *
 * Two rounds under a mutex: the first one is in the order of the threads, the second one in any. main looks in between.
 */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int rounds, seen;

static void *locker(void *unused)
{
  for (int i = 0; i < 2; i++) {
    pthread_mutex_lock(&mutex);
    rounds++;
    pthread_mutex_unlock(&mutex);
  }
  return unused;
}

int main(void)
{
  pthread_t thread[2];
  for (int i = 0; i < 2; i++)
    pthread_create(&thread[i], NULL, locker, NULL);
  pthread_mutex_lock(&mutex);
  seen = rounds;
  pthread_mutex_unlock(&mutex);
  for (int i = 0; i < 2; i++)
    pthread_join(thread[i], NULL);
  printf("%d %d\n", seen, rounds);
}
