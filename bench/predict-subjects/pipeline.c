/* SPDX-License-Identifier: Apache-2.0
 *
 * Two producers and two consumers around a bounded buffer with one lock and two condition variables; a little private
 * work for each item. Arguments: items.
 */
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

#define ROOM 32
#define PAIRS 2

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER, not_full = PTHREAD_COND_INITIALIZER;
static uint32_t buffer[ROOM];
static unsigned count, first;
static long items;
static uint64_t consumed[PAIRS];

static uint32_t grind(uint32_t x)
{
  for (int i = 0; i < 50; i++)
    x = x * 1664525 + 1013904223;
  return x | 1;
}

static void put(uint32_t item)
{
  pthread_mutex_lock(&lock);
  while (count == ROOM)
    pthread_cond_wait(&not_full, &lock);
  buffer[(first + count++) % ROOM] = item;
  pthread_cond_signal(&not_empty);
  pthread_mutex_unlock(&lock);
}

static uint32_t get(void)
{
  pthread_mutex_lock(&lock);
  while (!count)
    pthread_cond_wait(&not_empty, &lock);
  uint32_t item = buffer[first];
  first = (first + 1) % ROOM;
  count--;
  pthread_cond_signal(&not_full);
  pthread_mutex_unlock(&lock);
  return item;
}

static void *produce(void *unused)
{
  for (long i = 0; i < items / PAIRS; i++)
    put(grind((uint32_t)i));
  return unused;
}

static void *consume(void *sum)
{
  for (long i = 0; i < items / PAIRS; i++)
    *(uint64_t *)sum += grind(get()) != 0;
  return NULL;
}

int main(int argc, char **argv)
{
  pthread_t producer[PAIRS], consumer[PAIRS];
  items = argc > 1 ? atol(argv[1]) : PAIRS;
  for (int i = 0; i < PAIRS; i++) {
    pthread_create(&producer[i], NULL, produce, NULL);
    pthread_create(&consumer[i], NULL, consume, &consumed[i]);
  }
  for (int i = 0; i < PAIRS; i++) {
    pthread_join(producer[i], NULL);
    pthread_join(consumer[i], NULL);
  }
  assert(consumed[0] + consumed[1] == (uint64_t)(items / PAIRS * PAIRS));
  return 0;
}
