/* SPDX-License-Identifier: Apache-2.0
 *
 * Memory to which only a variable of an ended thread pointed is a leak.
 *
 * verdict: find
 * kind: leak
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static __thread char *mine;

static void *work(void *unused)
{
  mine = malloc(77);
  strcpy(mine, "mine");
  return unused;
}

int main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  pthread_join(thread, NULL);
  return 0;
}
