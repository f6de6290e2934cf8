/* SPDX-License-Identifier: Apache-2.0
 *
 * A lantern is lit with release, and looked for with a relaxed load: who sees it need not see the catch.
 *
 * options: --races fail
 * tell: fix: T1 writes `lantern` at .* it is read with memory_order_relaxed, which orders nothing; it must be memory_order_acquire
 */
#include <pthread.h>
#include <stdatomic.h>

static atomic_int lantern;
static int fish;

static void *boat(void *unused)
{
  fish = 12;
  atomic_store_explicit(&lantern, 1, memory_order_release);
  return unused;
}

int main(void)
{
  pthread_t thread;
  int sold = 0;
  pthread_create(&thread, NULL, boat, NULL);
#ifdef FIXED
  if (atomic_load_explicit(&lantern, memory_order_acquire))
#else
  if (atomic_load_explicit(&lantern, memory_order_relaxed))
#endif
    sold = fish;
  pthread_join(thread, NULL);
  return sold > 12;
}
