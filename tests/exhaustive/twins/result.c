/* SPDX-License-Identifier: Apache-2.0
 *
 * What threads return tells which of them drew first.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

static atomic_int drawn;

static void *draw(void *unused)
{
  (void)unused;
  return (void *)(intptr_t)atomic_fetch_add(&drawn, 1);
}

int main(void)
{
  pthread_t thread[2];
  void *result[2];
  for (int i = 0; i < 2; i++)
    pthread_create(&thread[i], NULL, draw, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(thread[i], &result[i]);
  assert(result[0] < result[1]);
}
