/* SPDX-License-Identifier: Apache-2.0
 *
 * total() reads under the lock, and calls get(), which reads under the lock. Harmless, until the lock prefers
 * writers: a writer that arrives between the two waits for the first read to end, the second read queues up behind
 * the writer, and the first read cannot end before the second. The twin does not lock again what it holds.
 *
 * verdict: deadlock
 * threads: 2
 */
#include <assert.h>
#include <pthread.h>

static pthread_rwlock_t lock;
static int stock[2] = {3, 4};

static int get(int i)
{
#ifndef FIXED
  pthread_rwlock_rdlock(&lock);
#endif
  int n = stock[i];
#ifndef FIXED
  pthread_rwlock_unlock(&lock);
#endif
  return n;
}

static void *total(void *arg)
{
  pthread_rwlock_rdlock(&lock);
  assert(get(0) + get(1) == 7);
  pthread_rwlock_unlock(&lock);
  return arg;
}

int main(void)
{
  pthread_t reader;
  pthread_rwlockattr_t writers_first;

  pthread_rwlockattr_init(&writers_first);
  pthread_rwlockattr_setkind_np(&writers_first, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
  pthread_rwlock_init(&lock, &writers_first);
  pthread_rwlockattr_destroy(&writers_first);

  pthread_create(&reader, NULL, total, NULL);
  pthread_rwlock_wrlock(&lock);
  stock[0]--;
  stock[1]++;
  pthread_rwlock_unlock(&lock);
  pthread_join(reader, NULL);
  pthread_rwlock_destroy(&lock);
  return 0;
}
