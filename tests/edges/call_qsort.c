/* SPDX-License-Identifier: Apache-2.0
 *
 * The comparison function of qsort looks at a direction that another thread turns round while the array is sorted.
 * Natively, with pauses, it failed in 338 of 1000 runs.
 *
 * verdict: find
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int direction = 1;

static int compare(const void *a, const void *b)
{
  return (*(const int *)a - *(const int *)b) * atomic_load(&direction);
}

static void *turn(void *unused)
{
  (void)unused;
  atomic_store(&direction, -1);
  return NULL;
}

int main(void)
{
  pthread_t thread;
  int value[3] = {3, 1, 2};
  pthread_create(&thread, NULL, turn, NULL);
  qsort(value, 3, sizeof value[0], compare);
  int up = value[0] <= value[1] && value[1] <= value[2];
  int down = value[0] >= value[1] && value[1] >= value[2];
  pthread_join(thread, NULL);
  assert(up || down);
  return 0;
}
