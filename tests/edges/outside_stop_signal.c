/* SPDX-License-Identifier: Apache-2.0
 *
 * A daemon's main thread waits for the signal that stops it; nobody in the program sends it.
 *
 * verdict: outside
 */
#include <signal.h>
#include <stddef.h>

int main(void)
{
  sigset_t set;
  int got;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGINT);
  sigprocmask(SIG_BLOCK, &set, NULL);
  sigwait(&set, &got);
  return 0;
}
