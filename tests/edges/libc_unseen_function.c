/* SPDX-License-Identifier: Apache-2.0
 *
 * Two threads add to one vector by a function of the C library that heddle does not know. One of them may
 * be lost; natively, with pauses outside of that function, none was in 2,526 runs.
 *
 * verdict: noproof
 * expect-text: (argz_add())
 */
#define _GNU_SOURCE
#include <argz.h>
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static char *words;
static size_t used;

static void *adds(void *unused)
{
  (void)unused;
  argz_add(&words, &used, "a");
  return NULL;
}

int main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, adds, NULL);
  adds(NULL);
  pthread_join(thread, NULL);
  assert(used == 4);
  free(words);
  return 0;
}
