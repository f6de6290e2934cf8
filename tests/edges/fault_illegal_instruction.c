/* SPDX-License-Identifier: Apache-2.0
 *
 * The handler of SIGILL steps over an instruction the machine does not have.
 *
 * verdict: quiet
 * flags: -D_GNU_SOURCE
 */
#include <assert.h>
#include <signal.h>
#include <stddef.h>
#include <ucontext.h>

static volatile sig_atomic_t skipped;

static void skip(int number, siginfo_t *information, void *context)
{
  (void)number;
  (void)information;
  ((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP] += 2;
  skipped++;
}

int main(void)
{
  struct sigaction action = {.sa_sigaction = skip, .sa_flags = SA_SIGINFO};
  sigaction(SIGILL, &action, NULL);
  __asm__ volatile("ud2");
  assert(skipped == 1);
  return 0;
}
