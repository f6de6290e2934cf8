/* SPDX-License-Identifier: Apache-2.0
 *
 * A list that changes while somebody goes through it makes the walk fail. BUG: nobody notices.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int items[16] = {1, 2, 3}, count = 3;
static unsigned changes;

static void list_add(int v)
{
  pthread_mutex_lock(&m);
  items[count++] = v;
#ifndef BUG
  changes++;
#endif
  pthread_mutex_unlock(&m);
}

struct walk {
  int at;
  unsigned seen;
};

static void walk_begin(struct walk *w)
{
  pthread_mutex_lock(&m);
  *w = (struct walk){0, changes};
  pthread_mutex_unlock(&m);
}

/* -1: the list was changed. */
static int walk_next(struct walk *w)
{
  pthread_mutex_lock(&m);
  int v = w->seen != changes ? -1 : w->at < count ? items[w->at++] : 0;
  pthread_mutex_unlock(&m);
  return v;
}

static void *modifier(void *arg)
{
  usleep(20000);
  list_add(4);
  return arg;
}

int main(void)
{
  pthread_t t;
  struct walk w;
  pthread_create(&t, NULL, modifier, NULL);
  walk_begin(&w);
  int first = walk_next(&w);
  usleep(50000);
  int second = walk_next(&w);
  pthread_join(t, NULL);
  if (first != 1 || second != -1)
    printf("%d, then %d\n", first, second);
  return first != 1 || second != -1;
}
