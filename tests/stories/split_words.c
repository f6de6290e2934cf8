/* SPDX-License-Identifier: Apache-2.0
 *
 * Two threads split texts with strtok(), which keeps its place in one variable for all.
 * options: --races report
 * tell: instrumented\) ✗ strtok\(\) is used by T\d and T\d at the same time
 * tell: T\d calls strtok\(\) at
 * tell: bug +a function that keeps its state in one place is used by two threads at once: T\d calls strtok\(\) at
 * tell: fix +strtok_r\(\) instead
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>

static char one[] = "a b", other[] = "c d";

static void *split(void *arg)
{
  int words = 0;
#ifdef FIXED
  char *rest;
  for (char *word = strtok_r(arg, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
#else
  for (char *word = strtok(arg, " "); word; word = strtok(NULL, " "))
#endif
    words++;
  assert(words == 2);
  return NULL;
}

int main(void)
{
  pthread_t first, second;
  pthread_create(&first, NULL, split, one);
  pthread_create(&second, NULL, split, other);
  pthread_join(first, NULL);
  pthread_join(second, NULL);
}
