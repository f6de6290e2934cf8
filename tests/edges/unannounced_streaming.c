/* SPDX-License-Identifier: Apache-2.0
 *
 * An intrinsic stores past the caches.
 *
 * verdict: find
 */
#include <emmintrin.h>
#include <assert.h>
#include <pthread.h>

static int shared;

static void *worker(void *unused)
{
  _mm_stream_si32(&shared, 1);
  _mm_sfence();
  return unused;
}

int main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, worker, NULL);
  assert(__atomic_load_n(&shared, __ATOMIC_SEQ_CST) == 0);
  pthread_join(thread, NULL);
  return 0;
}
