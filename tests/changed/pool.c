/* SPDX-License-Identifier: Apache-2.0
 *
 * A pool of one object. That there is one and that it is taken were one step; a new helper asks first and takes later:
 * it is given to two. */
#include "ordinary.h"

static struct pool {
  pthread_mutex_t lock;
  int free, active;
} pool = {PTHREAD_MUTEX_INITIALIZER, 1, 0};

static int has_free(struct pool *p)
{
  pthread_mutex_lock(&p->lock);
  int count = p->free;
  pthread_mutex_unlock(&p->lock);
  return count > 0;
}

static int borrow(struct pool *p)
{
#ifndef OLD
  if (!has_free(p))
    return 0;
#endif
  pthread_mutex_lock(&p->lock);
#ifdef OLD
  int got = p->free > 0;
#else
  int got = 1;
#endif
  p->free -= got;
  p->active += got;
  pthread_mutex_unlock(&p->lock);
  return got;
}

static void *user(void *unused)
{
  log_line();
  borrow(&pool);
  count_line();
  return unused;
}

int main(void)
{
  (void)has_free;
  RUN(user, user);
  assert(pool.active <= 1);
}
