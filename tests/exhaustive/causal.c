/* SPDX-License-Identifier: Apache-2.0
 *
 * causal KIND: three threads that run their bodies twice; the assertion needs y == 3 with x > 1 and at least four
 * preemptions (the example of maximal causality reduction). KIND 0: it ends the execution, 1: it is only taken note of.
 *
 * With KIND 0 there are 1,218,061 interleavings; 6, 50, 262, 1250, 4524 of them have 0, 1, 2, 3, 4 preemptions.
 */
#include "together.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int x, y;

static void *t1(void *arg)
{
  (void)arg;
  for (int i = 0; i < 2; i++) {
    pthread_mutex_lock(&lock);
    atomic_store(&x, 1);
    atomic_store(&y, 1);
    pthread_mutex_unlock(&lock);
  }
  return NULL;
}

static void *t2(void *arg)
{
  (void)arg;
  for (int i = 0; i < 2; i++) {
    pthread_mutex_lock(&lock);
    atomic_store(&x, 0);
    pthread_mutex_unlock(&lock);
    if (atomic_load(&x) > 0) {
      atomic_store(&y, atomic_load(&y) + 1);
      atomic_store(&x, 2);
    }
  }
  return NULL;
}

static void *t3(void *arg)
{
  int errors = 0;

  for (int i = 0; i < 2; i++) {
    if (atomic_load(&x) > 1) {
      int error = atomic_load(&y) == 3;
      assert(!error || first(arg) == 1);
      errors += error;
      if (!error)
        atomic_store(&y, 2);
    }
  }
  return result(errors);
}

int main(int argc, char **argv)
{
  int kind = number(argc, argv, 1, 0);

  start(t1, 0, 0);
  start(t2, 0, 0);
  start(t3, kind, 0);
  finish();
  printf("x=%d y=%d\n", x, y);
  return 0;
}
