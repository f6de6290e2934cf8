/* SPDX-License-Identifier: Apache-2.0
 *
 * Two threads take random numbers; rand is locked in glibc, and nobody cares which number is whose. No failure in 250
 * native runs with pauses.
 *
 * verdict: quiet
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static void *gambler(void *unused)
{
  (void)unused;
  assert(rand() >= 0);
  return NULL;
}

int main(void)
{
  pthread_t thread[2];
  for (int i = 0; i < 2; i++)
    pthread_create(&thread[i], NULL, gambler, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(thread[i], NULL);
  return 0;
}
