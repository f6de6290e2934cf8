/* SPDX-License-Identifier: Apache-2.0
 *
 * The handler of SIGSEGV runs on a stack of its own.
 *
 * verdict: quiet
 */
#define _GNU_SOURCE
#include <assert.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>

static char *page;
static char *stack;
static volatile sig_atomic_t on_stack;

static void note(int number, siginfo_t *information, void *context)
{
  char here;
  (void)number;
  (void)information;
  (void)context;
  on_stack = &here >= stack && &here < stack + 65536;
  mprotect(page, 4096, PROT_READ | PROT_WRITE);
}

int main(void)
{
  struct sigaction action = {.sa_sigaction = note, .sa_flags = SA_SIGINFO | SA_ONSTACK};
  stack = malloc(65536);
  stack_t other = {.ss_sp = stack, .ss_size = 65536}, none = {.ss_flags = SS_DISABLE};
  assert(sigaltstack(&other, NULL) == 0);
  page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  sigaction(SIGSEGV, &action, NULL);
  page[0] = 1;
  assert(on_stack);
  assert(sigaltstack(&none, NULL) == 0);
  free(stack);
  return 0;
}
