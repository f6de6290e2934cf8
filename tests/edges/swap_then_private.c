/* SPDX-License-Identifier: Apache-2.0
 *
 * A compare-and-swap that succeeds, and then one of the thread's own memory that fails: the first is no load for that,
 * and whether another thread looks before or after it matters. Nobody sees it unless both orders are tried.
 *
 * verdict: find
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, seen;

static void *swap(void *unused)
{
  atomic_int own = 1;
  int sought = 0, other = 0;
  atomic_compare_exchange_strong(&x, &sought, 1);
  atomic_compare_exchange_strong(&own, &other, 2);
  return unused;
}

static void *look(void *unused)
{
  atomic_store(&seen, 1 + atomic_load(&x));
  return unused;
}

int main(void)
{
  pthread_t a, b;
  pthread_create(&a, NULL, swap, NULL);
  pthread_create(&b, NULL, look, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  assert(seen != 1);
  return 0;
}
