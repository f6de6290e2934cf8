/* SPDX-License-Identifier: Apache-2.0
 *
 * attempts N: N threads try to lock one mutex and give it back if they got it. Nobody ever waits. All operations on the
 * mutex are in order, the failed ones too, so every interleaving is a class of its own.
 */
#include "together.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *worker(void *arg)
{
  (void)arg;
  if (pthread_mutex_trylock(&lock))
    return result(0);
  pthread_mutex_unlock(&lock);
  return result(1);
}

int main(int argc, char **argv)
{
  int n = number(argc, argv, 1, 2);

  for (int i = 0; i < n; i++)
    start(worker, 0, 0);
  finish();
  printf("\n");
  return 0;
}
