/* SPDX-License-Identifier: Apache-2.0
 *
 * A list whose length is counted outside of the lock: two additions count once. Looks whose result nobody reads can be
 * left out.
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

#define THREADS 6
#define CALLS 10

struct node {
  int value;
  struct node *next;
};

struct list {
  pthread_mutex_t lock;
  struct node *head;
  int count;
};

static struct list list = {PTHREAD_MUTEX_INITIALIZER, NULL, 0};

__attribute__((noinline)) static void list_add(struct list *l, int value)
{
  struct node *n = malloc(sizeof *n);
  n->value = value;
  pthread_mutex_lock(&l->lock);
  n->next = l->head;
  l->head = n;
#ifdef FIXED
  l->count++;
#endif
  pthread_mutex_unlock(&l->lock);
#ifndef FIXED
  l->count++;
#endif
}

__attribute__((noinline)) static int list_has(struct list *l, int value)
{
  int found = 0;
  pthread_mutex_lock(&l->lock);
  for (const struct node *n = l->head; n; n = n->next)
    found |= n->value == value;
  pthread_mutex_unlock(&l->lock);
  return found;
}

static void *work(void *arg)
{
  int first = CALLS * (int)(long)arg;
  for (int i = 0; i < CALLS; i++) {
    list_add(&list, first + i);
    list_has(&list, first);
  }
  return NULL;
}

int main(void)
{
  pthread_t thread[THREADS];
  int length = 0;
  for (long i = 0; i < THREADS; i++)
    pthread_create(&thread[i], NULL, work, (void *)i);
  for (int i = 0; i < THREADS; i++)
    pthread_join(thread[i], NULL);
  for (const struct node *n = list.head; n; n = n->next)
    length++;
  assert(length == list.count);
  return 0;
}
