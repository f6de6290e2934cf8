/* SPDX-License-Identifier: Apache-2.0
 *
 * Dancers look at each other's place and move, in rounds, with one barrier a round where two are needed.
 * tell: bug +a barrier is missing between a write and a read: T\d writes `place\[\d\]` at
 * tell: fix +one more wait at the barrier between the writing and the reading
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_barrier_t music;
static int place[2] = {1, 2};

static void *dance(void *arg)
{
  int self = *(int *)arg;
  for (int round = 0; round < 2; round++) {
    int other = place[!self];
    pthread_barrier_wait(&music);
    place[self] = other;
#ifdef FIXED
    pthread_barrier_wait(&music);
#endif
  }
  return NULL;
}

int main(void)
{
  static int self[2] = {0, 1};
  pthread_t dancer[2];
  pthread_barrier_init(&music, NULL, 2);
  for (int i = 0; i < 2; i++)
    pthread_create(&dancer[i], NULL, dance, &self[i]);
  for (int i = 0; i < 2; i++)
    pthread_join(dancer[i], NULL);
  assert(place[0] == 1 && place[1] == 2);
}
