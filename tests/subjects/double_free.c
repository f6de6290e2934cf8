/* SPDX-License-Identifier: Apache-2.0
 *
 * Either of two threads may be the one to clean up, whoever comes first: "if the buffer is still there, free it and
 * say that it is gone". Both look, both find it there, both free it. The twin takes the pointer out and looks at it
 * in one step, so that only one of them gets it.
 *
 * verdict: memory
 * also: race
 * threads: 3
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static _Atomic(char *) buffer;

static void *clean_up(void *arg)
{
#ifdef FIXED
  char *mine = atomic_exchange(&buffer, NULL);
#else
  char *mine = buffer;
  buffer = NULL;
#endif
  if (mine != NULL)
    free(mine);
  return arg;
}

int main(void)
{
  pthread_t a, b;

  buffer = malloc(16);
  assert(buffer != NULL);
  pthread_create(&a, NULL, clean_up, NULL);
  pthread_create(&b, NULL, clean_up, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}
