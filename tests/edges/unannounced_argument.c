/* SPDX-License-Identifier: Apache-2.0
 *
 * A shared structure is given to a function by value: the compiler announces no access to it.
 *
 * verdict: find
 */
#include <assert.h>
#include <pthread.h>

struct numbers {
  long a, b, c, d, e;
};
static struct numbers shared;

__attribute__((noinline)) static long sum(struct numbers n)
{
  return n.a + n.b + n.c + n.d + n.e;
}

static void *worker(void *unused)
{
  __atomic_store_n(&shared.c, 1, __ATOMIC_SEQ_CST);
  return unused;
}

int main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, worker, NULL);
  assert(sum(shared) == 0);
  pthread_join(thread, NULL);
  return 0;
}
