/* SPDX-License-Identifier: Apache-2.0
 *
 * once N: N threads call pthread_once(). Which of them runs the function is told apart, the order of the others is not:
 * N.
 */
#include "together.h"

static pthread_once_t control = PTHREAD_ONCE_INIT;
static int times;

static void initialise(void)
{
  times++;
}

static void *caller(void *unused)
{
  pthread_once(&control, initialise);
  return unused;
}

int main(int argc, char **argv)
{
  int n = number(argc, argv, 1, 2);

  for (int i = 0; i < n; i++)
    start(caller, 0, 0);
  finish();
  printf("%d\n", times);
  return 0;
}
