/* SPDX-License-Identifier: Apache-2.0
 *
 * The same by fences: the updates are relaxed, but one comes after a release fence and the other before an acquire
 * fence, so that who comes second knows what the first one did before, or the two accesses of the message race.
 *
 * verdict: found
 * kind: race
 * options: --races fail
 */
#include <pthread.h>
#include <stdatomic.h>

static atomic_int count, ready;
static int message;

static void *writer(void *unused)
{
  message = 1;
  atomic_store_explicit(&ready, 1, memory_order_relaxed);
  atomic_thread_fence(memory_order_release);
  atomic_fetch_add_explicit(&count, 1, memory_order_relaxed);
  return unused;
}

static void *reader(void *unused)
{
  atomic_fetch_add_explicit(&count, 1, memory_order_relaxed);
  atomic_thread_fence(memory_order_acquire);
  if (atomic_load_explicit(&ready, memory_order_relaxed))
    message++;
  return unused;
}

int main(void)
{
  pthread_t one, two;
  pthread_create(&one, NULL, writer, NULL);
  pthread_create(&two, NULL, reader, NULL);
  pthread_join(one, NULL);
  pthread_join(two, NULL);
  return message < 0;
}
