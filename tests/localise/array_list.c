/* SPDX-License-Identifier: Apache-2.0
 *
 * Two lists that lock themselves. add_all() locks the list it adds to, but not the one it reads from: it makes room for so many
 * items, and while it copies, the other list grows.
 *
 * verdict: assertion
 * also: race
 * blame: R W R list[1].size
 */
#include <assert.h>
#include <pthread.h>

#define MOST 8

struct list {
  pthread_mutex_t lock;
  int size, item[MOST];
};

static struct list list[2] = {{PTHREAD_MUTEX_INITIALIZER, 1, {1}}, {PTHREAD_MUTEX_INITIALIZER, 2, {2, 3}}};

static void add(struct list *l, int item)
{
  pthread_mutex_lock(&l->lock);
  l->item[l->size] = item;
  l->size++; /* <2> */
  pthread_mutex_unlock(&l->lock);
}

static void add_all(struct list *to, struct list *from)
{
  pthread_mutex_lock(&to->lock);
#ifdef FIXED
  pthread_mutex_lock(&from->lock);
#endif
  int room = to->size + from->size; /* <1> */
  for (int i = 0; i < from->size; i++) { /* <1> <3> */
    assert(to->size < room);
    to->item[to->size] = from->item[i];
    to->size++;
  }
#ifdef FIXED
  pthread_mutex_unlock(&from->lock);
#endif
  pthread_mutex_unlock(&to->lock);
}

static void *adder(void *arg)
{
  add(&list[1], 4);
  return arg;
}

static void *copier(void *arg)
{
  add_all(&list[0], &list[1]);
  return arg;
}

int main(void)
{
  pthread_t thread[2];

  pthread_create(&thread[0], NULL, copier, NULL);
  pthread_create(&thread[1], NULL, adder, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(thread[i], NULL);
  return 0;
}
