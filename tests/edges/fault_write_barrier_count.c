/* SPDX-License-Identifier: Apache-2.0
 *
 * The handler of two threads' faults counts them by load and store: a count is lost, or there is only one fault; the
 * program expects two. Natively, with pauses, it failed in 24 of 300 runs.
 *
 * verdict: noproof
 */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/mman.h>

static char *pages;
static atomic_int noted;

static void note(int number, siginfo_t *information, void *context)
{
  (void)number;
  (void)context;
  atomic_store(&noted, atomic_load(&noted) + 1);
  mprotect((void *)((unsigned long)information->si_addr & ~4095ul), 4096, PROT_READ | PROT_WRITE);
}

static void *writer(void *where)
{
  *(char *)where = 1;
  return NULL;
}

int main(void)
{
  struct sigaction action = {.sa_sigaction = note, .sa_flags = SA_SIGINFO};
  pthread_t thread[2];
  pages = mmap(NULL, 8192, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  sigaction(SIGSEGV, &action, NULL);
  for (int i = 0; i < 2; i++)
    pthread_create(&thread[i], NULL, writer, pages + 4096 * i);
  for (int i = 0; i < 2; i++)
    pthread_join(thread[i], NULL);
  assert(atomic_load(&noted) == 2);
  return 0;
}
