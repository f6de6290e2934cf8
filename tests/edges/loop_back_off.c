/* SPDX-License-Identifier: Apache-2.0
 *
 * A spin lock that waits twice as long after every failed attempt, in a variable of its own.
 *
 * verdict: quiet
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_flag busy = ATOMIC_FLAG_INIT;
static int count;

static void *worker(void *unused)
{
  (void)unused;
  unsigned pause = 1;
  while (atomic_flag_test_and_set(&busy)) {
    for (volatile unsigned i = 0; i < pause; i++)
      ;
    if (pause < 64)
      pause *= 2;
  }
  count++;
  atomic_flag_clear(&busy);
  return NULL;
}

int main(void)
{
  pthread_t thread[2];
  for (int i = 0; i < 2; i++)
    pthread_create(&thread[i], NULL, worker, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(thread[i], NULL);
  assert(count == 2);
  return 0;
}
