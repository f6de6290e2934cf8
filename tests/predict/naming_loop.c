/* SPDX-License-Identifier: Apache-2.0
 *
 * Thirty locks made by one statement: main calls foo five times from one place, foo calls bar from two places, and bar
 * makes three. By the calls that led to it and how often each was made, three calls deep, every lock has a name of its
 * own; two calls deep there are six names, one call deep three, and by the place alone one.
 *
 * There is no bug, and no twin.
 *
 * verdict: none
 * threads: 2
 * predicted: 0
 * real: 0
 */
#include <pthread.h>
#include <stdlib.h>

#define OBJECTS 30

static pthread_mutex_t *made[OBJECTS];
static int made_count;

__attribute__((noinline)) static void bar(void)
{
  for (int i = 0; i < 3; i++)
    made[made_count++] = malloc(sizeof(pthread_mutex_t));
}

__attribute__((noinline)) static void foo(void)
{
  bar();
  bar();
}

static void *use_all(void *arg)
{
  for (int i = 0; i < OBJECTS; i++) {
    pthread_mutex_lock(made[i]);
    pthread_mutex_unlock(made[i]);
  }
  return arg;
}

int main(void)
{
  pthread_t thread;

  for (int i = 0; i < 5; i++)
    foo();
  for (int i = 0; i < OBJECTS; i++)
    pthread_mutex_init(made[i], NULL);
  pthread_create(&thread, NULL, use_all, NULL);
  use_all(NULL);
  pthread_join(thread, NULL);
  for (int i = 0; i < OBJECTS; i++) {
    pthread_mutex_destroy(made[i]);
    free(made[i]);
  }
  return 0;
}
