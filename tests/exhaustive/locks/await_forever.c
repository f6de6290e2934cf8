/* SPDX-License-Identifier: Apache-2.0
 *
 * A thread waits for a flag that is raised only if the other thread comes first. BROKEN: the other thread may find that
 * nobody waits yet, and then it does not raise the flag at all.
 *
 * broken: hang
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int waits, flag;

static void *waiter(void *arg)
{
  atomic_store(&waits, 1);
  while (!atomic_load(&flag))
    ;
  return arg;
}

static void *waker(void *arg)
{
#ifdef BROKEN
  if (!atomic_load(&waits))
    return arg;
#endif
  atomic_store(&flag, 1);
  return arg;
}

int main(void)
{
  pthread_t a, b;

  pthread_create(&a, NULL, waiter, NULL);
  pthread_create(&b, NULL, waker, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  printf("flag=%d\n", flag);
  return 0;
}
