/* SPDX-License-Identifier: Apache-2.0
 *
 * Lists with a lock each. An operation of one list with another locks its own and then the other one: add all, remove all,
 * retain all. One thread does all three with a and b, the other with b and a. Each operation of one can meet each of the
 * other: nine circles on two locks.
 *
 * The twin locks the list at the lower address first.
 *
 * verdict: deadlock
 * threads: 3
 * predicted: 9
 * real: 9
 */
#include <pthread.h>
#include <unistd.h>

struct list {
  pthread_mutex_t lock;
  unsigned items; /* a set of small numbers */
};

static struct list pair_of_lists[2] = {{PTHREAD_MUTEX_INITIALIZER, 3}, {PTHREAD_MUTEX_INITIALIZER, 6}};

#ifdef FIXED
#define OUTER(a, b) ((a) < (b) ? (a) : (b))
#define INNER(a, b) ((a) < (b) ? (b) : (a))
#else
#define OUTER(a, b) (a)
#define INNER(a, b) (b)
#endif

static void add_all(struct list *to, struct list *from)
{
  pthread_mutex_lock(&OUTER(to, from)->lock);
  pthread_mutex_lock(&INNER(to, from)->lock);
  to->items |= from->items;
  pthread_mutex_unlock(&INNER(to, from)->lock);
  pthread_mutex_unlock(&OUTER(to, from)->lock);
}

static void remove_all(struct list *to, struct list *from)
{
  pthread_mutex_lock(&OUTER(to, from)->lock);
  pthread_mutex_lock(&INNER(to, from)->lock);
  to->items &= ~from->items;
  pthread_mutex_unlock(&INNER(to, from)->lock);
  pthread_mutex_unlock(&OUTER(to, from)->lock);
}

static void retain_all(struct list *to, struct list *from)
{
  pthread_mutex_lock(&OUTER(to, from)->lock);
  pthread_mutex_lock(&INNER(to, from)->lock);
  to->items &= from->items;
  pthread_mutex_unlock(&INNER(to, from)->lock);
  pthread_mutex_unlock(&OUTER(to, from)->lock);
}

static void all_three(struct list *to, struct list *from)
{
  add_all(to, from);
  remove_all(to, from);
  retain_all(to, from);
}

static void *forth(void *arg)
{
  all_three(&pair_of_lists[0], &pair_of_lists[1]);
  return arg;
}

static void *back(void *arg)
{
  usleep(5000);
  all_three(&pair_of_lists[1], &pair_of_lists[0]);
  return arg;
}

int main(void)
{
  pthread_t a, b;

  pthread_create(&a, NULL, forth, NULL);
  pthread_create(&b, NULL, back, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}
