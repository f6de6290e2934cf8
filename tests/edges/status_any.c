/* SPDX-License-Identifier: Apache-2.0
 *
 * A constant status is right if the user says so.
 *
 * verdict: complete
 * options: --exit-status any
 */
#include <pthread.h>
#include <stdatomic.h>

static atomic_int count;

static void *worker(void *unused)
{
  (void)unused;
  atomic_fetch_add(&count, 1);
  return NULL;
}

int main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, worker, NULL);
  pthread_join(thread, NULL);
  return 7;
}
