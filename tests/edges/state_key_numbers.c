/* SPDX-License-Identifier: Apache-2.0
 *
 * Two threads make a key for their own data each. Which one gets the lower number depends on who comes first.
 *
 * verdict: found
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_key_t key[2];

static void *make(void *own)
{
  pthread_key_create(own, NULL);
  return NULL;
}

int main(void)
{
  pthread_t thread[2];
  for (int i = 0; i < 2; i++)
    pthread_create(&thread[i], NULL, make, &key[i]);
  for (int i = 0; i < 2; i++)
    pthread_join(thread[i], NULL);
  assert(key[0] < key[1]);
  return 0;
}
