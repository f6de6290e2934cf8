/* SPDX-License-Identifier: Apache-2.0
 *
 * All locks and all threads come from one line each of a factory, and all threads run the same code; only two of the four
 * take two locks in opposite orders. By the place of their creation alone all locks are one and all threads are one.
 *
 * In the twin everybody takes the lock made earlier first.
 *
 * verdict: deadlock
 * threads: 5
 * predicted: 1
 * real: 1
 */
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

struct part {
  pthread_mutex_t lock;
  int uses;
};

struct worker {
  pthread_t thread;
  struct part *outer, *inner;
};

static struct part *new_part(void)
{
  struct part *p = malloc(sizeof *p);
  if (!p)
    abort();
  pthread_mutex_init(&p->lock, NULL);
  p->uses = 0;
  return p;
}

static void *work(void *arg)
{
  struct worker *w = arg;
  pthread_mutex_lock(&w->outer->lock);
  pthread_mutex_lock(&w->inner->lock);
  w->inner->uses++;
  pthread_mutex_unlock(&w->inner->lock);
  pthread_mutex_unlock(&w->outer->lock);
  return NULL;
}

static void start(struct worker *w, struct part *outer, struct part *inner)
{
  w->outer = outer;
  w->inner = inner;
  pthread_create(&w->thread, NULL, work, w);
}

int main(void)
{
  struct part *part[5];
  struct worker worker[4];

  for (int i = 0; i < 5; i++)
    part[i] = new_part();
  start(&worker[0], part[0], part[1]);
  start(&worker[1], part[1], part[2]);
  start(&worker[2], part[3], part[4]);
  usleep(5000);
#ifdef FIXED
  start(&worker[3], part[0], part[1]);
#else
  start(&worker[3], part[1], part[0]);
#endif
  for (int i = 0; i < 4; i++)
    pthread_join(worker[i].thread, NULL);
  for (int i = 0; i < 5; i++) {
    pthread_mutex_destroy(&part[i]->lock);
    free(part[i]);
  }
  return 0;
}
