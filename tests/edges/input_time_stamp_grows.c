/* SPDX-License-Identifier: Apache-2.0
 *
 * The time stamp counter never goes back on one thread.
 *
 * verdict: quiet
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static void *worker(void *unused)
{
  (void)unused;
  unsigned long long before = __builtin_ia32_rdtsc(), after = __builtin_ia32_rdtsc();
  assert(after >= before);
  return NULL;
}

int main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, worker, NULL);
  pthread_join(thread, NULL);
  return 0;
}
