/* SPDX-License-Identifier: Apache-2.0
 *
 * A ring whose free room is looked at before the lock is taken: two producers fill the last place. Threads count what
 * they put in, so that a call cannot be left out without what is counted for it; whole producers can.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define ROOM 2
#define PRODUCERS 5

static struct {
  pthread_mutex_t lock;
  int item[2 * PRODUCERS];
  atomic_int used;
} ring = {.lock = PTHREAD_MUTEX_INITIALIZER};

static atomic_int put;

__attribute__((noinline)) static int ring_is_full(void)
{
  return ring.used == ROOM;
}

__attribute__((noinline)) static void ring_put(int value)
{
  pthread_mutex_lock(&ring.lock);
#ifdef FIXED
  if (ring.used == ROOM) {
    pthread_mutex_unlock(&ring.lock);
    put--;
    return;
  }
#endif
  ring.item[ring.used] = value;
  ring.used++;
  pthread_mutex_unlock(&ring.lock);
}

static void *produce(void *arg)
{
  if (ring_is_full())
    return NULL;
  ring_put((int)(long)arg);
  put++;
  return NULL;
}

int main(void)
{
  pthread_t thread[PRODUCERS];
  for (long i = 0; i < PRODUCERS; i++)
    pthread_create(&thread[i], NULL, produce, (void *)i);
  for (int i = 0; i < PRODUCERS; i++)
    pthread_join(thread[i], NULL);
  assert(ring.used == put && ring.used <= ROOM);
  return 0;
}
