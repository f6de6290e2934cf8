/* SPDX-License-Identifier: Apache-2.0
 *
 * Small programs whose maximal causal classes are known: each access of a variable and each operation on a lock is one
 * step, and nobody looks at the variables afterwards.
 *
 *     shapes writers | counter N | airline N CAPACITY [locked] | account [locked] | filter [once] | nested
 *            | motivating [fixed]
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static atomic_int a, b;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static bool safe; /* the variant without the mistake; nobody writes it once threads run */
static int capacity;

static void enter(void)
{
  if (safe)
    pthread_mutex_lock(&m);
}

static void leave(void)
{
  if (safe)
    pthread_mutex_unlock(&m);
}

static void *write_one(void *unused)
{
  atomic_store(&a, 1);
  atomic_store(&a, 2);
  return unused;
}

static void *write_two(void *unused)
{
  atomic_store(&b, 1);
  atomic_store(&a, 3);
  return unused;
}

static void *count(void *unused)
{
  enter();
  atomic_store(&a, atomic_load(&a) + 1);
  leave();
  return unused;
}

static void *withdraw(void *unused)
{
  enter();
  atomic_store(&a, atomic_load(&a) - 1);
  leave();
  return unused;
}

/* a says that all is sold, b how much is. */
static void *sell(void *unused)
{
  enter();
  if (!atomic_load(&a)) {
    atomic_store(&b, atomic_load(&b) + 1);
    if (atomic_load(&b) >= capacity)
      atomic_store(&a, 1);
  }
  leave();
  return unused;
}

/* a is 0 while there is a filter. */
static void *filter(void *unused)
{
  pthread_mutex_lock(&m);
  if (!atomic_load(&a) && !safe)
    assert(!atomic_load(&a));
  pthread_mutex_unlock(&m);
  return unused;
}

static void *drop_filter(void *unused)
{
  atomic_store(&a, 1);
  return unused;
}

static void *nest(void *first)
{
  pthread_mutex_t *second = first == &m ? &other : &m;
  pthread_mutex_lock(first);
  pthread_mutex_lock(second);
  pthread_mutex_unlock(second);
  pthread_mutex_unlock(first);
  return NULL;
}

static void *set_both(void *unused)
{
  for (int i = 0; i < 2; i++) {
    pthread_mutex_lock(&m);
    atomic_store(&a, 1);
    atomic_store(&b, 1);
    pthread_mutex_unlock(&m);
  }
  return unused;
}

static void *add_to_one(void *unused)
{
  for (int i = 0; i < 2; i++) {
    pthread_mutex_lock(&m);
    atomic_store(&a, 0);
    pthread_mutex_unlock(&m);
    enter();
    if (atomic_load(&a) > 0) {
      atomic_store(&b, atomic_load(&b) + 1);
      atomic_store(&a, 2);
    }
    leave();
  }
  return unused;
}

static void *look_at_both(void *unused)
{
  for (int i = 0; i < 2; i++) {
    enter();
    if (atomic_load(&a) > 1) {
      assert(atomic_load(&b) != 3);
      atomic_store(&b, 2);
    }
    leave();
  }
  return unused;
}

static pthread_t thread[8];
static int threads;

static void start(void *(*body)(void *), void *argument)
{
  pthread_create(&thread[threads++], NULL, body, argument);
}

int main(int argc, char **argv)
{
  const char *shape = argc > 1 ? argv[1] : "";
  int n = argc > 2 ? atoi(argv[2]) : 0;
  capacity = argc > 3 ? atoi(argv[3]) : 0;
  safe = !strcmp(argv[argc - 1], "locked") || !strcmp(argv[argc - 1], "once") || !strcmp(argv[argc - 1], "fixed");
  if (!strcmp(shape, "writers")) {
    start(write_one, NULL);
    start(write_two, NULL);
  }
  for (int i = 0; i < n && !strcmp(shape, "counter"); i++)
    start(count, NULL);
  for (int i = 0; i < n && !strcmp(shape, "airline"); i++)
    start(sell, NULL);
  for (int i = 0; i < 4 && !strcmp(shape, "account"); i++)
    start(i < 2 ? count : withdraw, NULL);
  if (!strcmp(shape, "filter")) {
    start(filter, NULL);
    start(drop_filter, NULL);
  }
  if (!strcmp(shape, "nested")) {
    start(nest, &m);
    start(nest, &other);
  }
  if (!strcmp(shape, "motivating")) {
    start(set_both, NULL);
    start(add_to_one, NULL);
    start(look_at_both, NULL);
  }
  for (int i = 0; i < threads; i++)
    pthread_join(thread[i], NULL);
  return 0;
}
