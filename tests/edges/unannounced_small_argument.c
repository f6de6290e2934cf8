/* SPDX-License-Identifier: Apache-2.0
 *
 * A shared structure is given to a function in registers: the compiler announces no access to it.
 *
 * verdict: find
 */
#include <assert.h>
#include <pthread.h>

struct pair {
  long a, b;
};
static struct pair shared, *place = &shared;

__attribute__((noinline)) static long sum(struct pair p)
{
  return p.a + p.b;
}

static void *worker(void *unused)
{
  __atomic_store_n(&shared.b, 1, __ATOMIC_SEQ_CST);
  return unused;
}

int main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, worker, NULL);
  assert(sum(*place) == 0);
  pthread_join(thread, NULL);
  return 0;
}
