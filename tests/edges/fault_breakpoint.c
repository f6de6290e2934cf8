/* SPDX-License-Identifier: Apache-2.0
 *
 * The program handles its own breakpoint. No failure in 100 native runs with pauses.
 *
 * verdict: quiet
 */
#include <assert.h>
#include <signal.h>
#include <stddef.h>

static volatile sig_atomic_t hits;

static void hit(int number)
{
  (void)number;
  hits++;
}

int main(void)
{
  struct sigaction action = {.sa_handler = hit};
  sigaction(SIGTRAP, &action, NULL);
  __asm__ volatile("int3");
  assert(hits == 1);
  return 0;
}
