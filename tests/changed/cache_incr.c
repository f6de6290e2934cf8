/* SPDX-License-Identifier: Apache-2.0
 *
 * A cache that counts in its items. The lock of the item was taken for the whole update; the change takes it only to
 * find the item (as in a memory cache whose increments were lost). Fails if both updates read before one writes. */
#include "ordinary.h"

static struct item {
  pthread_mutex_t lock;
  int value;
} item = {PTHREAD_MUTEX_INITIALIZER, 0};

static void incr(struct item *it)
{
#ifdef OLD
  pthread_mutex_lock(&it->lock);
  it->value = it->value + 1;
  pthread_mutex_unlock(&it->lock);
#else
  pthread_mutex_lock(&it->lock);
  pthread_mutex_unlock(&it->lock);
  it->value = it->value + 1;
#endif
}

static void *worker(void *unused)
{
  log_line();
  incr(&item);
  count_line();
  return unused;
}

int main(void)
{
  RUN(worker, worker);
  assert(item.value == 2);
}
