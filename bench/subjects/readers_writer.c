/* SPDX-License-Identifier: Apache-2.0
 *
 * Two readers, one writer and main: a read-write lock over two fields that must agree. Correct.
 */
#include <assert.h>
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int left, right;

static void *reader(void *unused)
{
  for (int i = 0; i < 2; i++) {
    pthread_rwlock_rdlock(&lock);
    assert(left == right);
    pthread_rwlock_unlock(&lock);
  }
  return unused;
}

static void *writer(void *unused)
{
  for (int i = 0; i < 2; i++) {
    pthread_rwlock_wrlock(&lock);
    left++;
    right++;
    pthread_rwlock_unlock(&lock);
  }
  return unused;
}

int main(void)
{
  pthread_t t[3];
  pthread_create(&t[0], NULL, reader, NULL);
  pthread_create(&t[1], NULL, writer, NULL);
  pthread_create(&t[2], NULL, reader, NULL);
  for (int i = 0; i < 3; i++)
    pthread_join(t[i], NULL);
  assert(left == 2 && right == 2);
  return 0;
}
