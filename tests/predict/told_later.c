/* SPDX-License-Identifier: Apache-2.0
 *
 * The condition is changed in one critical section, and told in a later one. That is not how the books do it, and right
 * all the same: who waits is told after the change, who comes later sees it.
 *
 * shape: changed first, broadcast later
 * verdict: none
 * predict: nothing
 */
#include "conditions.h"
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int merging = 1;
static struct hd_predicate busy;

static bool is_busy(void *of)
{
  return *(int *)of;
}

static void *closer(void *arg)
{
  pthread_mutex_lock(&lock);
  HD_WAIT_BEGIN(&busy, &changed, &lock);
  while (merging)
    pthread_cond_wait(&changed, &lock);
  HD_WAIT_END(&busy);
  pthread_mutex_unlock(&lock);
  return arg;
}

static void *merger(void *arg)
{
  pthread_mutex_lock(&lock);
  merging = 0;
  pthread_mutex_unlock(&lock);
  pthread_mutex_lock(&lock);
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&lock);
  return arg;
}

int main(void)
{
  pthread_t c, m;
  HD_PREDICATE(&busy, "busy", is_busy, &merging);
  pthread_create(&c, NULL, closer, NULL);
  pthread_create(&m, NULL, merger, NULL);
  pthread_join(c, NULL);
  pthread_join(m, NULL);
  return 0;
}
