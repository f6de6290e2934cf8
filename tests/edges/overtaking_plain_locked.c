/* SPDX-License-Identifier: Apache-2.0
 *
 * Many plain stores before a load, all under one lock: races are not told, but there are none, and no store is late.
 *
 * verdict: complete
 * options: --races ignore
 */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int table[20], other[20];

static void *fill(void *unused)
{
  pthread_mutex_lock(&lock);
  for (int i = 0; i < 20; i++)
    table[i]++;
  for (int i = 0; i < 20; i++)
    assert(other[i] == other[0]);
  pthread_mutex_unlock(&lock);
  return unused;
}

static void *fill_other(void *unused)
{
  pthread_mutex_lock(&lock);
  for (int i = 0; i < 20; i++)
    other[i]++;
  for (int i = 0; i < 20; i++)
    assert(table[i] == table[0]);
  pthread_mutex_unlock(&lock);
  return unused;
}

int main(void)
{
  pthread_t thread[2];
  pthread_create(&thread[0], NULL, fill, NULL);
  pthread_create(&thread[1], NULL, fill_other, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(thread[i], NULL);
  return 0;
}
