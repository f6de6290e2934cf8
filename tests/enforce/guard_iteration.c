/* SPDX-License-Identifier: Apache-2.0
 *
 * One thread goes through a list while another adds to it: its iterator notices, and the program fails (status 1). With
 * guard_iteration.mop, who adds waits until iterators are exhausted, and who makes one until nobody adds.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { ITEMS = 64, ROUNDS = 8 };

struct list {
  atomic_int count, changes;
  atomic_int item[ITEMS];
};

struct iterator {
  struct list *list;
  int at, changes;
};

static struct list list = {.count = 8};
static atomic_int failures;

void list_add(struct list *l, int item)
{
  l->item[l->count % ITEMS] = item;
  l->changes++;
  l->count = 8 + l->count % (ITEMS - 8);
}

struct iterator *iterator_new(struct list *l)
{
  struct iterator *i = malloc(sizeof *i);
  *i = (struct iterator){.list = l, .changes = l->changes};
  return i;
}

int iterator_has_next(struct iterator *i)
{
  return i->at < 8;
}

int iterator_next(struct iterator *i)
{
  if (i->changes != i->list->changes)
    failures++;
  return i->list->item[i->at++];
}

static void *adder(void *unused)
{
  for (int i = 0; i < ROUNDS; i++) {
    list_add(&list, i);
    sched_yield();
  }
  return unused;
}

int main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, adder, NULL);
  for (int i = 0; i < ROUNDS; i++) {
    struct iterator *at = iterator_new(&list);
    while (iterator_has_next(at)) {
      iterator_next(at);
      sched_yield();
    }
    free(at);
  }
  pthread_join(thread, NULL);
  if (failures)
    printf("the list was changed %d times while somebody went through it\n", failures);
  return failures != 0;
}
