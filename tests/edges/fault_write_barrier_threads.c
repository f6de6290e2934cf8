/* SPDX-License-Identifier: Apache-2.0
 *
 * Two threads write into a protected page; the handler counts atomically and opens it, as often as need be.
 *
 * verdict: quiet
 */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/mman.h>

static char *page;
static atomic_int noted;

static void note(int number, siginfo_t *information, void *context)
{
  (void)number;
  (void)information;
  (void)context;
  atomic_fetch_add(&noted, 1);
  mprotect(page, 4096, PROT_READ | PROT_WRITE);
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
  page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  sigaction(SIGSEGV, &action, NULL);
  for (int i = 0; i < 2; i++)
    pthread_create(&thread[i], NULL, writer, page + 64 * i);
  for (int i = 0; i < 2; i++)
    pthread_join(thread[i], NULL);
  assert(atomic_load(&noted) >= 1 && page[0] == 1 && page[64] == 1);
  return 0;
}
