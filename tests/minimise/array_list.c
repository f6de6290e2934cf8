/* SPDX-License-Identifier: Apache-2.0
 *
 * ArrayList: two synchronised lists; add_all locks the list it adds to, but not the one it reads, which shrinks meanwhile.
 */
#include "harness.h"

#define ROOM 32

struct list {
  pthread_mutex_t lock;
  atomic_int size;
  atomic_uint item[ROOM];
};

static struct list list[2];

static void make(void)
{
  for (unsigned i = 0; i < 2; i++)
    pthread_mutex_init(&list[i].lock, NULL);
}

static void append(struct list *l, unsigned value)
{
  int size = l->size;
  if (size < ROOM) {
    l->item[size] = value;
    l->size = size + 1;
  }
}

static void add(unsigned which, unsigned value)
{
  pthread_mutex_lock(&list[which].lock);
  append(&list[which], value);
  pthread_mutex_unlock(&list[which].lock);
}

static void remove_last(unsigned which, unsigned b)
{
  (void)b;
  pthread_mutex_lock(&list[which].lock);
  if (list[which].size)
    list[which].size--;
  pthread_mutex_unlock(&list[which].lock);
}

/* What an iterator does. */
static unsigned item_at(struct list *l, int i)
{
  assert(i < l->size);
  return l->item[i];
}

static void add_all(unsigned to, unsigned b)
{
  (void)b;
  struct list *from = &list[1 - to];
#ifdef FIXED
  pthread_mutex_lock(&list[0].lock); /* both, in one order */
  pthread_mutex_lock(&list[1].lock);
#else
  pthread_mutex_lock(&list[to].lock);
#endif
  for (int i = 0, size = from->size; i < size; i++)
    append(&list[to], item_at(from, i));
#ifdef FIXED
  pthread_mutex_unlock(&list[1 - to].lock);
#endif
  pthread_mutex_unlock(&list[to].lock);
}

static void check(void)
{
  assert(list[0].size <= ROOM && list[1].size <= ROOM);
}

HD_STRESS(make, check, 100, 100, HD_OPERATION(add, 2, 50), HD_OPERATION(remove_last, 2),
          HD_OPERATION(add_all, 2))
