/* SPDX-License-Identifier: Apache-2.0
 *
 * The time stamp counter decides: the program takes it for granted that a thread is created and joined within a
 * million cycles, and a busy machine takes longer. The counter is an input nobody controls. Natively, with pauses, it
 * failed in 158 of 300 runs.
 *
 * verdict: noproof
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static void *worker(void *unused)
{
  return unused;
}

int main(void)
{
  pthread_t thread;
  unsigned long long before = __builtin_ia32_rdtsc();
  pthread_create(&thread, NULL, worker, NULL);
  pthread_join(thread, NULL);
  unsigned long long after = __builtin_ia32_rdtsc();
  assert(after - before < 1000000);
  return 0;
}
