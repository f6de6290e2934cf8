/* SPDX-License-Identifier: Apache-2.0
 *
 * A list is given back while somebody goes through it and somebody else waits to add to it, and another one is made at
 * the same address: who waited goes on, and the new list is nobody's. Uses the functions of guard_iteration.c.
 */
#define _GNU_SOURCE
#define main iterate_alone
#include "guard_iteration.c"
#undef main
#include <unistd.h>

static struct list *first;
static atomic_int waits, added;

static void *add(void *unused)
{
  pthread_setname_np(pthread_self(), "adds");
  waits = 1;
  list_add(first, 1); /* of a block that stays mapped; it is held until that is given back */
  added = 1;
  return unused;
}

int main(void)
{
  pthread_t thread;
  first = calloc(1, sizeof *first);
  struct iterator *at = iterator_new(first);
  iterator_next(at);
  pthread_create(&thread, NULL, add, NULL);
  while (!waits)
    sched_yield();
  usleep(50000);
  int early = added;
  free(first);
  struct list *second = malloc(sizeof *second);
  pthread_join(thread, NULL);
  second->count = 8;
  list_add(second, 2);
  printf("%s, %s, added\n", early ? "not held" : "held", second == first ? "same address" : "another address");
  free(second);
  return early || second != first;
}
