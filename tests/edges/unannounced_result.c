/* SPDX-License-Identifier: Apache-2.0
 *
 * What a function returns becomes a shared structure: the compiler announces no access to it.
 *
 * verdict: find
 */
#include <assert.h>
#include <pthread.h>

struct numbers {
  long a, b, c, d, e;
};
static struct numbers shared;
static volatile long one = 1;

__attribute__((noinline)) static struct numbers make(void)
{
  struct numbers n = {.c = one};
  return n;
}

static void *worker(void *unused)
{
  shared = make();
  return unused;
}

int main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, worker, NULL);
  assert(__atomic_load_n(&shared.c, __ATOMIC_SEQ_CST) == 0);
  pthread_join(thread, NULL);
  return 0;
}
