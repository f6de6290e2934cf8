/* SPDX-License-Identifier: Apache-2.0
 *
 * A thread prints a number into a buffer while main looks whether it is still empty.
 *
 * verdict: find
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static char text[8];

static void *print(void *unused)
{
  snprintf(text, sizeof text, "%d", 5);
  return unused;
}

int main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, print, NULL);
  char first = __atomic_load_n(&text[0], __ATOMIC_SEQ_CST);
  pthread_join(thread, NULL);
  assert(first == 0);
  return 0;
}
