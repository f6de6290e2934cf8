/* SPDX-License-Identifier: Apache-2.0
 *
 * A list is given back while somebody goes through it and somebody else waits to add to it, and another one is made at
 * the same address: who waited goes on, and the new list is nobody's. Uses the functions of guard_iteration.c.
 *
 * Who waited must not be in the middle of its change when the new list is made, so it does not run as soon as it may: both have
 * one processor, and it never takes that from another thread.
 */
#define _GNU_SOURCE
#define main iterate_alone
#include "guard_iteration.c"
#undef main
#include <sched.h>
#include <unistd.h>

static struct list *first;
static atomic_int waits, added;

static void *add(void *unused)
{
  const struct sched_param none = {0};
  pthread_setname_np(pthread_self(), "adds");
  sched_setscheduler(0, SCHED_BATCH, &none);
  waits = 1;
  list_add(first, 1); /* of a block that stays mapped; it is held until that is given back */
  added = 1;
  return unused;
}

int main(void)
{
  pthread_t thread;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(sched_getcpu(), &one);
  sched_setaffinity(0, sizeof one, &one);
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
