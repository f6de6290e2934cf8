/* SPDX-License-Identifier: Apache-2.0
 *
 * Lists a and b, each with a thread that goes through it and one that adds. With guard_iteration.mop, what is done with
 * a must not delay who works on b: nobody iterates there. Uses the functions of guard_iteration.c.
 */
#define _GNU_SOURCE
#define main iterate_alone
#include "guard_iteration.c"
#undef main
#include <unistd.h>

static struct list a = {.count = 8}, b = {.count = 8};

static void *add_to_a(void *unused)
{
  pthread_setname_np(pthread_self(), "adds to a");
  for (int i = 0; i < 10; i++)
    list_add(&a, i);
  return unused;
}

static void *add_to_b(void *unused)
{
  pthread_setname_np(pthread_self(), "adds to b");
  for (int i = 0; i < 10000; i++)
    list_add(&b, i);
  return unused;
}

int main(void)
{
  pthread_t thread[2];
  struct iterator *at = iterator_new(&a);
  iterator_next(at);
  pthread_create(&thread[0], NULL, add_to_a, NULL);
  pthread_create(&thread[1], NULL, add_to_b, NULL);
  pthread_join(thread[1], NULL);
  usleep(10000);
  while (iterator_has_next(at))
    iterator_next(at);
  free(at);
  pthread_join(thread[0], NULL);
  return failures != 0;
}
