/* SPDX-License-Identifier: Apache-2.0
 *
 * rdrand decides: one value in four is not foreseen. Natively, with pauses, it failed in 71 of 300 runs.
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

__attribute__((target("rdrnd"))) static unsigned draw(void)
{
  unsigned value = 0;
  while (!__builtin_ia32_rdrand32_step(&value))
    ;
  return value;
}

int main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, worker, NULL);
  pthread_join(thread, NULL);
  if (__builtin_cpu_supports("rdrnd"))
    assert(draw() % 4 != 0);
  return 0;
}
