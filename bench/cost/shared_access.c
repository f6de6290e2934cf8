/* SPDX-License-Identifier: Apache-2.0
 *
 * What an access costs that is a scheduling point: shared_access plain|atomic ROUNDS lets two threads access one
 * variable ROUNDS times each. plain: both have written it under a mutex before, and read it now. atomic: both add to
 * it. Correct.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t barrier;
static long rounds;
static int plain, use_plain;
static atomic_int counter;

static void *worker(void *unused)
{
  long n = rounds;
  int how = use_plain, sum = 0;
  pthread_mutex_lock(&lock);
  plain++;
  pthread_mutex_unlock(&lock);
  pthread_barrier_wait(&barrier);
  for (long i = 0; i < n; i++) {
    if (how)
      sum += plain;
    else
      atomic_fetch_add_explicit(&counter, 1, memory_order_relaxed);
    __asm__ volatile("" ::"r"(sum) : "memory");
  }
  return unused;
}

int main(int argc, char **argv)
{
  pthread_t t[2];
  use_plain = argc > 1 && !strcmp(argv[1], "plain");
  rounds = argc > 2 ? atol(argv[2]) : 0;
  pthread_barrier_init(&barrier, NULL, 2);
  for (int i = 0; i < 2; i++)
    pthread_create(&t[i], NULL, worker, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(t[i], NULL);
  pthread_barrier_destroy(&barrier);
  return 0;
}
