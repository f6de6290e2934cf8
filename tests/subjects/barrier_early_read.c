/* SPDX-License-Identifier: Apache-2.0
 *
 * One thread loads a table, another uses it, and a barrier stands between loading and using; but the user reads the
 * size of the table before it goes to the barrier, as if that were already safe. If it comes first, it sees an empty
 * table.
 *
 * verdict: assertion
 * also: race
 * threads: 3
 */
#include <assert.h>
#include <pthread.h>

static pthread_barrier_t loaded;
static int table[3];
static int size;

static void *loader(void *arg)
{
  for (int i = 0; i < 3; i++)
    table[i] = i + 1;
  size = 3;
  pthread_barrier_wait(&loaded);
  return arg;
}

static void *user(void *arg)
{
  int sum = 0;

#ifdef FIXED
  pthread_barrier_wait(&loaded);
#endif
  int n = size;
#ifndef FIXED
  pthread_barrier_wait(&loaded);
#endif
  for (int i = 0; i < n; i++)
    sum += table[i];
  assert(sum == 6);
  return arg;
}

int main(void)
{
  pthread_t a, b;

  pthread_barrier_init(&loaded, NULL, 2);
  pthread_create(&a, NULL, loader, NULL);
  pthread_create(&b, NULL, user, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  pthread_barrier_destroy(&loaded);
  return 0;
}
