/* SPDX-License-Identifier: Apache-2.0
 *
 * A vector is made from another one: its size is taken, then its contents are copied, each under the lock. The other vector
 * shrinks in between, and what is copied is no longer there.
 *
 * verdict: assertion
 * blame: R W R from.size
 */
#include <assert.h>
#include <pthread.h>

struct vector {
  pthread_mutex_t lock;
  int size, item[4];
};

static struct vector from = {PTHREAD_MUTEX_INITIALIZER, 3, {1, 2, 3}};
static int copy[4];

static int vector_size(struct vector *v)
{
  pthread_mutex_lock(&v->lock);
  int n = v->size; /* <1> */
  pthread_mutex_unlock(&v->lock);
  return n;
}

static int vector_get(struct vector *v, int i)
{
  pthread_mutex_lock(&v->lock);
#ifndef FIXED
  assert(i < v->size); /* <1> <3> */
#endif
  int item = i < v->size ? v->item[i] : 0; /* <1> */
  pthread_mutex_unlock(&v->lock);
  return item;
}

static void *copier(void *arg)
{
  int n = vector_size(&from);
  for (int i = 0; i < n; i++)
    copy[i] = vector_get(&from, i);
  return arg;
}

static void *remover(void *arg)
{
  pthread_mutex_lock(&from.lock);
  from.size -= 2; /* <2> */
  pthread_mutex_unlock(&from.lock);
  return arg;
}

int main(void)
{
  pthread_t thread[2];

  pthread_create(&thread[0], NULL, copier, NULL);
  pthread_create(&thread[1], NULL, remover, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(thread[i], NULL);
  return 0;
}
