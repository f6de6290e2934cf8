/* SPDX-License-Identifier: Apache-2.0
 *
 * Looked for under the lock for reading, made under the one for writing, without a second look.
 * tell: bug +what was seen under a lock for reading is not looked at again under the one for writing: T\d locks `desk`
 * tell: fix +T\d must look again after it has locked `desk` for writing
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_rwlock_t desk = PTHREAD_RWLOCK_INITIALIZER;
static int tag, tags;

static void *arrive(void *arg)
{
  pthread_rwlock_rdlock(&desk);
  int found = tag;
  pthread_rwlock_unlock(&desk);
  if (found)
    return arg;
  pthread_rwlock_wrlock(&desk);
#ifdef FIXED
  if (!tag)
#endif
  {
    tags++;
    tag = tags;
  }
  pthread_rwlock_unlock(&desk);
  return arg;
}

int main(void)
{
  pthread_t first, second;
  pthread_create(&first, NULL, arrive, NULL);
  pthread_create(&second, NULL, arrive, NULL);
  pthread_join(first, NULL);
  pthread_join(second, NULL);
  assert(tags == 1);
}
