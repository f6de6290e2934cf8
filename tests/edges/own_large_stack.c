/* SPDX-License-Identifier: Apache-2.0
 *
 * A thread asks for a stack of thirty-two megabytes and uses twenty.
 *
 * verdict: quiet
 */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>

static void *worker(void *unused)
{
  (void)unused;
  volatile char large[20 << 20];
  for (size_t i = 0; i < sizeof large; i += 4096)
    large[i] = 1;
  assert(large[4096] == 1);
  return NULL;
}

int main(void)
{
  pthread_attr_t kind;
  pthread_t thread;
  pthread_attr_init(&kind);
  assert(pthread_attr_setstacksize(&kind, 32 << 20) == 0);
  assert(pthread_create(&thread, &kind, worker, NULL) == 0);
  pthread_join(thread, NULL);
  return 0;
}
