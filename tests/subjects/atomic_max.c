/* SPDX-License-Identifier: Apache-2.0
 *
 * Keeping the highest score in an atomic. "If mine is higher than the highest, store it": both compare with 0; the one
 * with 9 stores it, and then the one with 7 does. Every access is atomic, and still the record is gone. The twin only
 * replaces the very value it has compared with.
 *
 * verdict: assertion
 * threads: 3
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int highest;

static void *player(void *arg)
{
  int score = *(int *)arg;
  int seen = highest;

#ifdef FIXED
  while (score > seen && !atomic_compare_exchange_strong(&highest, &seen, score))
    ; /* beaten to it: seen is the new highest */
#else
  if (score > seen)
    highest = score;
#endif
  return NULL;
}

int main(void)
{
  pthread_t thread[2];
  int score[2] = {7, 9};

  for (int i = 0; i < 2; i++)
    pthread_create(&thread[i], NULL, player, &score[i]);
  for (int i = 0; i < 2; i++)
    pthread_join(thread[i], NULL);
  assert(highest == 9);
  return 0;
}
