/* SPDX-License-Identifier: Apache-2.0
 *
 * distinct N: N threads, each takes and gives back a mutex of its own. Nothing depends on anything: one class, but
 * (2N)! / 2^N interleavings.
 */
#include "together.h"

static pthread_mutex_t mutex[MOST];

static void *locker(void *arg)
{
  pthread_mutex_lock(&mutex[first(arg)]);
  pthread_mutex_unlock(&mutex[first(arg)]);
  return NULL;
}

int main(int argc, char **argv)
{
  int n = number(argc, argv, 1, 2);

  for (int i = 0; i < n; i++)
    pthread_mutex_init(&mutex[i], NULL);
  for (int i = 0; i < n; i++)
    start(locker, i, 0);
  finish();
  printf("\n");
  return 0;
}
