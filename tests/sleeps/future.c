/* SPDX-License-Identifier: Apache-2.0
 *
 * A get waits until the value is there. BUG: it returns what is not there yet.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

struct future {
  pthread_mutex_t m;
  pthread_cond_t c;
  bool ready;
  int value;
};

static int future_get(struct future *f)
{
  pthread_mutex_lock(&f->m);
#ifndef BUG
  while (!f->ready)
    pthread_cond_wait(&f->c, &f->m);
#endif
  int v = f->value;
  pthread_mutex_unlock(&f->m);
  return v;
}

static void future_set(struct future *f, int v)
{
  pthread_mutex_lock(&f->m);
  f->value = v;
  f->ready = true;
  pthread_cond_broadcast(&f->c);
  pthread_mutex_unlock(&f->m);
}

static void *compute(void *f)
{
  sleep(1);
  future_set(f, 99);
  return NULL;
}

int main(void)
{
  struct future f = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, false, 0};
  pthread_t t;
  pthread_create(&t, NULL, compute, &f);
  int v = future_get(&f);
  pthread_join(t, NULL);
  if (v != 99)
    printf("got %d\n", v);
  return v != 99;
}
