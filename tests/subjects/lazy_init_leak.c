/* SPDX-License-Identifier: Apache-2.0
 *
 * A cache that is made on first use. Two threads find none, both make one, both store theirs; the second store
 * overwrites the first, and that cache is never freed. No crash, no race: only memory that is gone. The twin stores
 * by compare-and-swap, and the loser frees its own.
 *
 * verdict: leak
 * threads: 3
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static _Atomic(char *) cache;

static void *use_cache(void *arg)
{
  if (cache == NULL) {
    char *fresh = malloc(32);
    assert(fresh != NULL);
#ifdef FIXED
    char *none = NULL;
    if (!atomic_compare_exchange_strong(&cache, &none, fresh))
      free(fresh);
#else
    cache = fresh;
#endif
  }
  return arg;
}

int main(void)
{
  pthread_t a, b;

  pthread_create(&a, NULL, use_cache, NULL);
  pthread_create(&b, NULL, use_cache, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  free(cache);
  return 0;
}
