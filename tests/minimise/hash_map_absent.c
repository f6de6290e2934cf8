/* SPDX-License-Identifier: Apache-2.0
 *
 * ConcurrentHashMap, first fault: put-if-absent is a get and then a put, each of them locked. Two threads put the same key.
 */
#include "harness.h"

#define BUCKETS 16u

struct entry {
  unsigned key;
  struct entry *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct entry *bucket[BUCKETS];

static void make(void)
{
  memset(bucket, 0, sizeof bucket);
}

static bool has(unsigned key)
{
  struct entry *e = bucket[key % BUCKETS];
  while (e && e->key != key)
    e = e->next;
  return e;
}

static void add(unsigned key)
{
  struct entry *e = take_block(sizeof *e);
  e->key = key;
  e->next = bucket[key % BUCKETS];
  bucket[key % BUCKETS] = e;
}

static void put_if_absent(unsigned key, unsigned b)
{
  (void)b;
  pthread_mutex_lock(&lock);
  bool there = has(key);
#ifndef FIXED
  pthread_mutex_unlock(&lock);
  pthread_mutex_lock(&lock);
#endif
  if (!there)
    add(key);
  pthread_mutex_unlock(&lock);
}

static void get(unsigned key, unsigned b)
{
  (void)b;
  pthread_mutex_lock(&lock);
  has(key);
  pthread_mutex_unlock(&lock);
}

static void check(void)
{
  for (unsigned i = 0; i < BUCKETS; i++)
    for (struct entry *e = bucket[i]; e; e = e->next)
      for (struct entry *other = e->next; other; other = other->next)
        assert(other->key != e->key);
}

HD_STRESS(make, check, 100, 100, HD_OPERATION(put_if_absent, 200), HD_OPERATION(get, 200))
