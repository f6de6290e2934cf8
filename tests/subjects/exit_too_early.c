/* SPDX-License-Identifier: Apache-2.0
 *
 * A test program with two tests in two threads. The one that was started last calls exit() with the verdict, since
 * surely the other one has finished by then. If it has not, the program says that a test failed although both pass.
 * The twin leaves the verdict to main, after both joins.
 *
 * verdict: exit
 * threads: 3
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int passed;

static int verdict(void)
{
  return passed == 2 ? EXIT_SUCCESS : EXIT_FAILURE;
}

static void *first_test(void *arg)
{
  passed++;
  return arg;
}

static void *last_test(void *arg)
{
  passed++;
#ifndef FIXED
  exit(verdict());
#endif
  return arg;
}

int main(void)
{
  pthread_t first, last;

  pthread_create(&first, NULL, first_test, NULL);
  pthread_create(&last, NULL, last_test, NULL);
  pthread_join(first, NULL);
  pthread_join(last, NULL);
  return verdict();
}
