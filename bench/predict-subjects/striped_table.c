/* SPDX-License-Identifier: Apache-2.0
 *
 * A hash table with chains and a lock for every stripe of buckets; three of four operations look up, one inserts or
 * removes. Nodes come from the heap and go back to it. Arguments: operations.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

#define BUCKETS 512
#define STRIPES 16
#define KEYS 2048
#define THREADS 4

struct node {
  struct node *next;
  uint32_t key, value;
};

static struct node *bucket[BUCKETS];
static pthread_mutex_t stripe[STRIPES];
static long operations;

static struct node **find(uint32_t key)
{
  struct node **at = &bucket[key % BUCKETS];
  while (*at && (*at)->key != key)
    at = &(*at)->next;
  return at;
}

static uint32_t look_up(uint32_t key)
{
  const struct node *node = *find(key);
  return node ? node->value : 0;
}

static void toggle(uint32_t key)
{
  struct node **at = find(key), *node = *at;
  if (node) {
    *at = node->next;
    free(node);
  } else if ((node = malloc(sizeof *node))) {
    *node = (struct node){.key = key, .value = key + 1};
    *at = node;
  }
}

static void *work(void *number)
{
  uint32_t state = (uint32_t)(uintptr_t)number * 7919 + 1;
  uintptr_t found = 0;
  for (long i = 0; i < operations / THREADS; i++) {
    state = state * 1664525 + 1013904223;
    uint32_t key = (state >> 12) % KEYS;
    pthread_mutex_t *lock = &stripe[key % STRIPES];
    pthread_mutex_lock(lock);
    if (state >> 30)
      found += look_up(key) != 0;
    else
      toggle(key);
    pthread_mutex_unlock(lock);
  }
  return (void *)found;
}

static void clear(void)
{
  for (int i = 0; i < BUCKETS; i++)
    while (bucket[i])
      toggle(bucket[i]->key);
}

int main(int argc, char **argv)
{
  pthread_t thread[THREADS];
  operations = argc > 1 ? atol(argv[1]) : THREADS;
  for (int i = 0; i < STRIPES; i++)
    pthread_mutex_init(&stripe[i], NULL);
  for (uintptr_t i = 0; i < THREADS; i++)
    pthread_create(&thread[i], NULL, work, (void *)i);
  for (int i = 0; i < THREADS; i++)
    pthread_join(thread[i], NULL);
  clear();
  return 0;
}
