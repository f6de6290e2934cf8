/* SPDX-License-Identifier: Apache-2.0
 *
 * A letter and a flag. The writer writes the letter, then raises the flag; the reader reads the letter only if the
 * flag is up. But with relaxed order the flag carries nothing but itself: the letter may arrive after it. On most
 * machines it works for years. The reader that sees the flag up is in a data race with the writer. The twin releases
 * and acquires.
 *
 * verdict: race
 * threads: 2
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef FIXED
#define RAISE memory_order_release
#define LOOK memory_order_acquire
#else
#define RAISE memory_order_relaxed
#define LOOK memory_order_relaxed
#endif

static int letter;
static atomic_int flag;

static void *writer(void *arg)
{
  letter = 42;
  atomic_store_explicit(&flag, 1, RAISE);
  return arg;
}

int main(void)
{
  pthread_t thread;

  pthread_create(&thread, NULL, writer, NULL);
  if (atomic_load_explicit(&flag, LOOK))
    assert(letter == 42);
  pthread_join(thread, NULL);
  return 0;
}
