/* SPDX-License-Identifier: Apache-2.0
 *
 * A number is read from a text of which another thread changes a digit.
 *
 * verdict: find
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static char text[4] = "1";

static void *work(void *unused)
{
  __atomic_store_n(&text[0], '2', __ATOMIC_SEQ_CST);
  return unused;
}

int main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  long number = strtol(text, NULL, 10);
  pthread_join(thread, NULL);
  assert(number == 1);
  return 0;
}
