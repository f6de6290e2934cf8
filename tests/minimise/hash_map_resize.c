/* SPDX-License-Identifier: Apache-2.0
 *
 * ConcurrentHashMap, second fault: readers take no lock, and a resize moves the entries one by one before it puts the new
 * table in place. A get in between does not find a key that was there all the time.
 */
#include "harness.h"

#define FIRST_KEYS 4u

struct entry {
  unsigned key;
  _Atomic(struct entry *) next;
};

struct table {
  unsigned size;
  _Atomic(struct entry *) bucket[];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic(struct table *) table;
static unsigned entries;

static struct table *new_table(unsigned size)
{
  struct table *t = take_block(sizeof *t + size * sizeof t->bucket[0]);
  t->size = size;
  return t;
}

static bool has(unsigned key)
{
  struct table *t = table;
  struct entry *e = t->bucket[key % t->size];
  while (e && e->key != key)
    e = e->next;
  return e;
}

static void link_entry(struct table *t, struct entry *e)
{
  e->next = t->bucket[e->key % t->size];
  t->bucket[e->key % t->size] = e;
}

static void resize(void)
{
  struct table *old = table, *larger = new_table(2 * old->size);
  for (unsigned i = 0; i < old->size; i++)
    for (struct entry *e = old->bucket[i], *next; e; e = next) {
      next = e->next;
      old->bucket[i] = next;
      link_entry(larger, e);
    }
  table = larger;
}

static void put(unsigned key, unsigned b)
{
  (void)b;
  pthread_mutex_lock(&lock);
  if (!has(key)) {
    struct entry *e = take_block(sizeof *e);
    e->key = key;
    if (++entries > table->size)
      resize();
    link_entry(table, e);
  }
  pthread_mutex_unlock(&lock);
}

static void make(void)
{
  table = new_table(FIRST_KEYS);
  for (unsigned key = 0; key < FIRST_KEYS; key++)
    put(key, 0);
}

static void get(unsigned key, unsigned b)
{
  (void)b;
#ifdef FIXED
  pthread_mutex_lock(&lock);
#endif
  assert(has(key) || key >= FIRST_KEYS);
#ifdef FIXED
  pthread_mutex_unlock(&lock);
#endif
}

static void check(void)
{
  for (unsigned key = 0; key < FIRST_KEYS; key++)
    assert(has(key));
}

HD_STRESS(make, check, 100, 100, HD_OPERATION(put, 100), HD_OPERATION(get, 2 * FIRST_KEYS))
