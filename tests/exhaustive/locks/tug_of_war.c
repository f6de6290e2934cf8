/* SPDX-License-Identifier: Apache-2.0
 *
 * Two threads count to a goal, one up and one down, until they see that it is reached. BROKEN: each undoes what the
 * other did before either can see it, and nobody ever moves it further than that: under every schedule it goes on for
 * ever. Otherwise the second only pulls once.
 *
 * broken: hang
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int rope;

static void *up(void *arg)
{
  int seen;

  while ((seen = atomic_load(&rope)) != 2) {
#ifdef BROKEN
    if (seen == 0)
      atomic_store(&rope, 1);
#else
    atomic_fetch_add(&rope, 1);
#endif
  }
  return arg;
}

static void *down(void *arg)
{
#ifdef BROKEN
  int seen;

  while ((seen = atomic_load(&rope)) != 2)
    if (seen == 1)
      atomic_store(&rope, 0);
#else
  atomic_fetch_sub(&rope, 1);
#endif
  return arg;
}

int main(void)
{
  pthread_t a, b;

  pthread_create(&a, NULL, up, NULL);
  pthread_create(&b, NULL, down, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  printf("rope=%d\n", rope);
  return 0;
}
