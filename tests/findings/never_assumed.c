/* SPDX-License-Identifier: Apache-2.0
 *
 * A test of two threads that assumes what never holds: every execution is cut, nothing is tested, and no verdict may say
 * otherwise.
 *
 * -DFIXED: it assumes what can hold.
 */
#include <heddle.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int first;

static void *come(void *arg)
{
  int nobody = 0;
  atomic_compare_exchange_strong(&first, &nobody, (int)(long)arg);
  return NULL;
}

int main(void)
{
  pthread_t thread[2];
  for (long i = 0; i < 2; i++)
    pthread_create(&thread[i], NULL, come, (void *)(i + 1));
  for (int i = 0; i < 2; i++)
    pthread_join(thread[i], NULL);
#ifdef FIXED
  hd_assume(first == 1);
#else
  hd_assume(first == 3);
#endif
  return 0;
}
