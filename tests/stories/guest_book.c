/* SPDX-License-Identifier: Apache-2.0
 *
 * A counter beside data that is only read, incremented under the lock for reading.
 * tell: bug +an update is lost: T\d reads `looks` at
 * tell: fix +both hold `book` for reading only, which keeps nobody out
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static pthread_rwlock_t book = PTHREAD_RWLOCK_INITIALIZER;
#ifdef FIXED
static atomic_int looks;
#else
static int looks;
#endif

static void *look(void *arg)
{
  pthread_rwlock_rdlock(&book);
  looks++;
  pthread_rwlock_unlock(&book);
  return arg;
}

int main(void)
{
  pthread_t first, second;
  pthread_create(&first, NULL, look, NULL);
  pthread_create(&second, NULL, look, NULL);
  pthread_join(first, NULL);
  pthread_join(second, NULL);
  assert(looks == 2);
}
