/* SPDX-License-Identifier: Apache-2.0
 *
 * One thread counts under one lock, N others under another: somebody counts between its read and its look.
 *
 * verdict: assertion
 */
#include "many.h"
#include <stdatomic.h>

static pthread_mutex_t right = PTHREAD_MUTEX_INITIALIZER, wrong = PTHREAD_MUTEX_INITIALIZER;
static atomic_int data;

static void *careful(void *unused)
{
  pthread_mutex_lock(&right);
  int before = data;
  data++;
  assert(data == before + 1);
  pthread_mutex_unlock(&right);
  return unused;
}

static void *careless(void *unused)
{
#ifdef FIXED
  pthread_mutex_t *lock = &right;
#else
  pthread_mutex_t *lock = &wrong;
#endif
  pthread_mutex_lock(lock);
  data++;
  pthread_mutex_unlock(lock);
  return unused;
}

int main(void)
{
  (void)wrong;
  start(careful, 0);
  for (int i = 0; i < N; i++)
    start(careless, i);
  wait_for_all();
  return 0;
}
