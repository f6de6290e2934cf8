/* SPDX-License-Identifier: Apache-2.0
 *
 * Two threads sort one array, each by passes that exchange neighbours, without a lock. An exchange that another one comes
 * between writes a number twice and loses one.
 *
 * verdict: assertion
 * also: race
 * blame: R W W|W W W|R W R|W W R cell[0]|cell[1]|cell[2]
 * patterns: 2
 */
#include <assert.h>
#include <pthread.h>

#define CELLS 3

static int cell[CELLS] = {3, 1, 2};
#ifdef FIXED
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
#endif

static void exchange(int i)
{
  int left = cell[i], right = cell[i + 1]; /* <1> <2> */
  if (left <= right)
    return;
  cell[i] = right;    /* <1> <2> <3> */
  cell[i + 1] = left; /* <2> <3> */
}

static void *sort(void *arg)
{
  for (int pass = 1; pass < CELLS; pass++)
    for (int i = 0; i < CELLS - pass; i++) {
#ifdef FIXED
      pthread_mutex_lock(&lock);
#endif
      exchange(i);
#ifdef FIXED
      pthread_mutex_unlock(&lock);
#endif
    }
  return arg;
}

int main(void)
{
  pthread_t thread[2];

  for (int i = 0; i < 2; i++)
    pthread_create(&thread[i], NULL, sort, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(thread[i], NULL);
  assert(cell[0] + cell[1] + cell[2] == 6 && cell[0] * cell[1] * cell[2] == 6);
  return 0;
}
