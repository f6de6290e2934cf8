/* SPDX-License-Identifier: Apache-2.0
 *
 * Two threads count for ever: no execution ends, none repeats itself, and neither is a bug that heddle could tell.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_long count;

static void *go_on(void *unused)
{
  for (;;)
    count++;
  return unused;
}

int main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, go_on, NULL);
  go_on(NULL);
  return 0;
}
