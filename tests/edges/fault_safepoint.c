/* SPDX-License-Identifier: Apache-2.0
 *
 * A safepoint as garbage collectors have it: the worker looks at a page that main has protected, and the handler of the fault
 * waits until main lets it go on.
 *
 * verdict: complete
 */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/mman.h>

static volatile char *page;
static sem_t stopped, resumed;
static atomic_int rounds;

static void stop(int number)
{
  (void)number;
  sem_post(&stopped);
  while (sem_wait(&resumed))
    ;
}

static void *worker(void *unused)
{
  for (int i = 0; i < 2; i++) {
    (void)*page;
    rounds++;
  }
  return unused;
}

int main(void)
{
  pthread_t thread;
  struct sigaction action = {.sa_handler = stop};
  sem_init(&stopped, 0, 0);
  sem_init(&resumed, 0, 0);
  sigaction(SIGSEGV, &action, NULL);
  page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  pthread_create(&thread, NULL, worker, NULL);
  sem_wait(&stopped);
  assert(rounds == 0);
  mprotect((void *)page, 4096, PROT_READ);
  sem_post(&resumed);
  pthread_join(thread, NULL);
  assert(rounds == 2);
  return 0;
}
