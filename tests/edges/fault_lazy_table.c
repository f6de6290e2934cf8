/* SPDX-License-Identifier: Apache-2.0
 *
 * A table is mapped without access and filled page by page when it is first touched, under a spin lock of the handler.
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

static char *table;
static atomic_flag busy = ATOMIC_FLAG_INIT;
static int filled;

static void fill(int number, siginfo_t *information, void *context)
{
  (void)number;
  (void)information;
  (void)context;
  while (atomic_flag_test_and_set(&busy))
    ;
  if (!filled) {
    mprotect(table, 4096, PROT_READ | PROT_WRITE);
    table[0] = 42;
    filled = 1;
  }
  atomic_flag_clear(&busy);
}

static void *reader(void *unused)
{
  (void)unused;
  while (!__atomic_load_n(&table[0], __ATOMIC_SEQ_CST))
    ;
  assert(__atomic_load_n(&table[0], __ATOMIC_SEQ_CST) == 42);
  return NULL;
}

int main(void)
{
  struct sigaction action = {.sa_sigaction = fill, .sa_flags = SA_SIGINFO};
  pthread_t thread[2];
  table = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  sigaction(SIGSEGV, &action, NULL);
  for (int i = 0; i < 2; i++)
    pthread_create(&thread[i], NULL, reader, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(thread[i], NULL);
  return 0;
}
