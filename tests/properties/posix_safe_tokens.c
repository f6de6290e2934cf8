/* SPDX-License-Identifier: Apache-2.0
 *
 * SafeTokens: two threads divide strings with strtok(), which knows of one string at a time. Fixed: each has the whole
 * string to itself. */
#include <pthread.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char first[] = "a b", second[] = "c d";

static void *divide(void *text)
{
#ifdef FIXED
  pthread_mutex_lock(&lock);
#endif
  for (char *word = strtok(text, " "); word; word = strtok(NULL, " "))
    ;
#ifdef FIXED
  pthread_mutex_unlock(&lock);
#endif
  return &lock;
}

int main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, divide, first);
  divide(second);
  pthread_join(thread, NULL);
  return 0;
}
