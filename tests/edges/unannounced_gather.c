/* SPDX-License-Identifier: Apache-2.0
 *
 * An intrinsic loads from several places at once.
 *
 * verdict: noproof
 * flags: -mavx2
 */
#include <immintrin.h>
#include <assert.h>
#include <pthread.h>

static int shared[8];

static void *worker(void *unused)
{
  __atomic_store_n(&shared[3], 1, __ATOMIC_SEQ_CST);
  return unused;
}

int main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, worker, NULL);
  __m256i all = _mm256_i32gather_epi32(shared, _mm256_set1_epi32(3), 4);
  assert(_mm256_extract_epi32(all, 0) == 0);
  pthread_join(thread, NULL);
  return 0;
}
