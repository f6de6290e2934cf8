/* SPDX-License-Identifier: Apache-2.0
 *
 * Memory of one's own, at an address another thread has given back to the kernel.
 * verdict: none
 */
#include <pthread.h>
#include <stddef.h>
#include <sys/mman.h>

static void *work(void *arg)
{
  volatile int *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  p[0] += 1;
  munmap((void *)p, 4096);
  return arg;
}

int main(void)
{
  pthread_t a, b;
  pthread_create(&a, NULL, work, NULL);
  pthread_create(&b, NULL, work, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}
