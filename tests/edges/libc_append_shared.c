/* SPDX-License-Identifier: Apache-2.0
 *
 * A thread appends to a text while main looks whether it is still empty.
 *
 * verdict: find
 */
#include <assert.h>
#include <pthread.h>
#include <string.h>

static char text[24];

static void *append(void *unused)
{
  strncat(text, "abc", 3);
  return unused;
}

int main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, append, NULL);
  char first = __atomic_load_n(&text[0], __ATOMIC_SEQ_CST);
  pthread_join(thread, NULL);
  assert(first == 0);
  return 0;
}
