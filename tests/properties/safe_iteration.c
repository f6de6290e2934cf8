/* SPDX-License-Identifier: Apache-2.0
 *
 * SafeIteration: one thread adds to a list while another one goes through it. Each call is atomic, and that is not
 * enough. Fixed: one lock around the whole iteration, and around the addition. */
#include <pthread.h>
#include <stdlib.h>

typedef struct list {
  pthread_mutex_t lock;
  int count, item[8];
} list_t;

typedef struct iter {
  list_t *list;
  int at;
} iter_t;

static list_t list = {.lock = PTHREAD_MUTEX_INITIALIZER, .count = 2};
#ifdef FIXED
static pthread_mutex_t whole = PTHREAD_MUTEX_INITIALIZER;
#define BEGIN pthread_mutex_lock(&whole)
#define END pthread_mutex_unlock(&whole)
#else
#define BEGIN (void)0
#define END (void)0
#endif

void list_add(list_t *l, int item)
{
  pthread_mutex_lock(&l->lock);
  l->item[l->count++] = item;
  pthread_mutex_unlock(&l->lock);
}

void list_clear(list_t *l)
{
  pthread_mutex_lock(&l->lock);
  l->count = 0;
  pthread_mutex_unlock(&l->lock);
}

iter_t *iter_new(list_t *l)
{
  iter_t *i = malloc(sizeof *i);
  i->list = l;
  i->at = 0;
  return i;
}

int iter_next(iter_t *i)
{
  pthread_mutex_lock(&i->list->lock);
  int item = i->at < i->list->count ? i->list->item[i->at++] : -1;
  pthread_mutex_unlock(&i->list->lock);
  return item;
}

static void *adder(void *unused)
{
  BEGIN;
  list_add(&list, 3);
  END;
  return unused;
}

int main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, adder, NULL);
  BEGIN;
  iter_t *i = iter_new(&list);
  iter_next(i);
  iter_next(i);
  free(i);
  END;
  pthread_join(thread, NULL);
  return 0;
}
