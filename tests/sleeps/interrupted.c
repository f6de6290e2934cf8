/* SPDX-License-Identifier: Apache-2.0
 *
 * A take that is interrupted while it waits says so. BUG: the interrupt is forgotten when it comes during the wait.
 */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/select.h>

struct box {
  pthread_mutex_t m;
  pthread_cond_t c;
  bool has, interrupted;
};

static struct box box = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, false, false};

static int box_take(struct box *b)
{
  int status = 0;
  pthread_mutex_lock(&b->m);
#ifdef BUG
  bool interrupted = b->interrupted;
  if (!b->has && !interrupted)
    pthread_cond_wait(&b->c, &b->m);
  if (interrupted)
    status = -1;
#else
  while (!b->has && !b->interrupted)
    pthread_cond_wait(&b->c, &b->m);
  if (b->interrupted)
    status = -1;
#endif
  b->has = b->interrupted = false;
  pthread_mutex_unlock(&b->m);
  return status;
}

static void box_interrupt(struct box *b)
{
  pthread_mutex_lock(&b->m);
  b->interrupted = true;
  pthread_cond_signal(&b->c);
  pthread_mutex_unlock(&b->m);
}

static void *taker(void *arg)
{
  *(int *)arg = box_take(&box);
  return NULL;
}

int main(void)
{
  int status = 1;
  pthread_t t;
  struct timeval tv = {0, 50000};
  pthread_create(&t, NULL, taker, &status);
  select(0, NULL, NULL, NULL, &tv);
  box_interrupt(&box);
  pthread_join(t, NULL);
  assert(status == -1);
  return 0;
}
