/* SPDX-License-Identifier: Apache-2.0
 *
 * There is one printer, and a semaphore to guard it; but the semaphore starts at 2. The second job walks in while
 * the first is still printing.
 *
 * verdict: assertion
 * threads: 3
 */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

#ifdef FIXED
enum { PRINTERS = 1 };
#else
enum { PRINTERS = 2 };
#endif

static sem_t printer;
static atomic_int printing;

static void *job(void *arg)
{
  sem_wait(&printer);
  assert(atomic_fetch_add(&printing, 1) == 0);
  atomic_fetch_sub(&printing, 1);
  sem_post(&printer);
  return arg;
}

int main(void)
{
  pthread_t a, b;

  sem_init(&printer, 0, PRINTERS);
  pthread_create(&a, NULL, job, NULL);
  pthread_create(&b, NULL, job, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  sem_destroy(&printer);
  return 0;
}
