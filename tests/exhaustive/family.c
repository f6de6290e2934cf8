/* SPDX-License-Identifier: Apache-2.0
 *
 * family: main makes a thread, that makes another one, and all three write one variable after that. Creating and
 * joining commute with the writes of the others: 3! classes. (The second creation is a step for dfs, because threads
 * are numbered in the order of their creation and two threads create: 8 interleavings.)
 */
#include "together.h"

static atomic_int x;

static void *grandchild(void *arg)
{
  atomic_store(&x, 3);
  return arg;
}

static void *child(void *arg)
{
  pthread_t t;

  pthread_create(&t, NULL, grandchild, NULL);
  atomic_store(&x, 2);
  pthread_join(t, NULL);
  return arg;
}

int main(void)
{
  start(child, 0, 0);
  atomic_store(&x, 1);
  finish();
  printf("x=%d\n", x);
  return 0;
}
