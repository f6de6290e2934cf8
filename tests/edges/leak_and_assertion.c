/* SPDX-License-Identifier: Apache-2.0
 *
 * Every execution leaks a little; the bug that counts is the order of two threads and needs many switches. Not seen in
 * 300 native runs.
 *
 * verdict: find
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int step;

static int add(int amount)
{
  pthread_mutex_lock(&mutex);
  int now = step += amount;
  pthread_mutex_unlock(&mutex);
  return now;
}

static void *counter(void *unused)
{
  (void)unused;
  *(volatile char *)malloc(10) = 1;
  for (int i = 0; i < 30; i++)
    add(1);
  return NULL;
}

static void *watcher(void *unused)
{
  (void)unused;
  assert(!(add(0) == 3 && add(0) == 7 && add(0) == 19 && add(0) == 28));
  return NULL;
}

int main(void)
{
  pthread_t thread[2];
  pthread_create(&thread[0], NULL, counter, NULL);
  pthread_create(&thread[1], NULL, watcher, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(thread[i], NULL);
  return 0;
}
