/* SPDX-License-Identifier: Apache-2.0
 *
 * A thread that computes for ever without a scheduling point; with -DEARLY before main, in a constructor that waits for what
 * never comes.
 */
#include <pthread.h>
#include <unistd.h>

static void *compute(void *arg)
{
  for (unsigned long n = 1; n; n = n * 5 + 1)
    __asm__ volatile("" : "+r"(n));
  return arg;
}

#ifdef EARLY
__attribute__((constructor)) static void wait_for_ever(void)
{
  for (;;)
    pause();
}
#endif

int main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, compute, NULL);
  pthread_join(thread, NULL);
  return 0;
}
