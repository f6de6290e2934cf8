/* SPDX-License-Identifier: Apache-2.0
 *
 * What an access costs that only one thread makes: private_access ROUNDS lets one thread read and write a small table
 * of its own ROUNDS times (two accesses a round) while a second thread exists and waits. Correct. Natively, without
 * instrumentation, it is the same loop, so the difference is heddle's price.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

enum { TABLE = 64 };

static sem_t done;
static long rounds;
static int table[TABLE];

static void *waiter(void *unused)
{
  sem_wait(&done);
  return unused;
}

static void *worker(void *unused)
{
  long n = rounds;
  for (long i = 0; i < n; i++) {
    table[i % TABLE] += (int)i;
    __asm__ volatile("" ::: "memory"); /* the compiler must not join rounds */
  }
  sem_post(&done);
  return unused;
}

int main(int argc, char **argv)
{
  pthread_t a, b;
  rounds = argc > 1 ? atol(argv[1]) : 0;
  sem_init(&done, 0, 0);
  pthread_create(&a, NULL, waiter, NULL);
  pthread_create(&b, NULL, worker, NULL);
  pthread_join(b, NULL);
  pthread_join(a, NULL);
  sem_destroy(&done);
  return 0;
}
