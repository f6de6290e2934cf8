/* SPDX-License-Identifier: Apache-2.0
 *
 * Two threads use strtok one after the other, under a mutex: its hidden state is never shared in use. No failure in
 * 250 native runs with pauses.
 *
 * verdict: quiet
 */
#include <assert.h>
#include <pthread.h>
#include <string.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *split(void *text)
{
  char copy[32];
  int words = 0;
  strcpy(copy, text);
  pthread_mutex_lock(&mutex);
  for (char *word = strtok(copy, " "); word; word = strtok(NULL, " "))
    words++;
  pthread_mutex_unlock(&mutex);
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
