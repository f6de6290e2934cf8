/* SPDX-License-Identifier: Apache-2.0
 *
 * phases N R [A]: N threads meet R times at a barrier. In which order they arrive does not matter; which of them is told
 * to be the serial thread is a choice: N^R classes. With A, only so many of them look at what they are told: (A + 1)^R.
 */
#include "together.h"

static pthread_barrier_t barrier;

static void *worker(void *arg)
{
  int serial = 0;

  for (int i = 0; i < first(arg); i++)
    serial = serial * 2 + (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD);
  return result(serial);
}

static void *deaf(void *arg)
{
  for (int i = 0; i < first(arg); i++)
    pthread_barrier_wait(&barrier);
  return result(0);
}

int main(int argc, char **argv)
{
  int n = number(argc, argv, 1, 2), rounds = number(argc, argv, 2, 1), asking = number(argc, argv, 3, n);

  pthread_barrier_init(&barrier, NULL, (unsigned)n);
  for (int i = 0; i < n; i++)
    start(i < asking ? worker : deaf, rounds, 0);
  finish();
  printf("\n");
  return 0;
}
