/* SPDX-License-Identifier: Apache-2.0
 *
 * Two threads print a lot.
 *
 * verdict: quiet
 */
#include <pthread.h>
#include <stdio.h>

static void *printer(void *name)
{
  for (int i = 0; i < 500; i++)
    printf("%s %d: the quick brown fox jumps over the lazy dog\n", (char *)name, i);
  return NULL;
}

int main(void)
{
  pthread_t thread[2];
  pthread_create(&thread[0], NULL, printer, "one");
  pthread_create(&thread[1], NULL, printer, "two");
  for (int i = 0; i < 2; i++)
    pthread_join(thread[i], NULL);
  return 0;
}
