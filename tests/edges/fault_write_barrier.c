/* SPDX-License-Identifier: Apache-2.0
 *
 * A write barrier: the page is protected, the handler of SIGSEGV notes the write and opens the page.
 *
 * verdict: quiet
 */
#define _GNU_SOURCE
#include <assert.h>
#include <signal.h>
#include <stddef.h>
#include <sys/mman.h>

static char *page;
static volatile sig_atomic_t noted;

static void note(int number, siginfo_t *information, void *context)
{
  (void)number;
  (void)context;
  if ((char *)information->si_addr >= page && (char *)information->si_addr < page + 4096) {
    noted++;
    mprotect(page, 4096, PROT_READ | PROT_WRITE);
  }
}

int main(void)
{
  struct sigaction action = {.sa_sigaction = note, .sa_flags = SA_SIGINFO};
  page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  sigaction(SIGSEGV, &action, NULL);
  page[10] = 1;
  page[20] = 2;
  assert(noted == 1 && page[10] == 1 && page[20] == 2);
  return 0;
}
