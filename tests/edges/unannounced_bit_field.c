/* SPDX-License-Identifier: Apache-2.0
 *
 * Two threads set neighbouring bit-fields. The store of one loads the other, which the compiler does not announce.
 *
 * verdict: find
 * options: --races ignore
 */
#include <assert.h>
#include <pthread.h>

static struct {
  unsigned a : 1, b : 1;
} shared;

static void *worker(void *unused)
{
  shared.a = 1;
  return unused;
}

int main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, worker, NULL);
  shared.b = 1;
  pthread_join(thread, NULL);
  assert(shared.a && shared.b);
  return 0;
}
