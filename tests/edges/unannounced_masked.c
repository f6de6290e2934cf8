/* SPDX-License-Identifier: Apache-2.0
 *
 * An intrinsic stores some bytes of a vector.
 *
 * verdict: noproof
 */
#include <emmintrin.h>
#include <assert.h>
#include <pthread.h>

static char shared[16];

static void *worker(void *unused)
{
  _mm_maskmoveu_si128(_mm_set1_epi8(1), _mm_set1_epi8(-1), shared);
  return unused;
}

int main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, worker, NULL);
  assert(__atomic_load_n(&shared[3], __ATOMIC_SEQ_CST) == 0);
  pthread_join(thread, NULL);
  return 0;
}
