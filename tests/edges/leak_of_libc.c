/* SPDX-License-Identifier: Apache-2.0
 *
 * Memory that libc keeps for a thread, here for the text of an error, is no leak of the program's.
 *
 * verdict: complete
 */
#include <assert.h>
#include <pthread.h>
#include <string.h>

static void *work(void *unused)
{
  assert(strcmp(strerror(9999), "Unknown error 9999") == 0);
  return unused;
}

int main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  assert(strcmp(strerror(8888), "Unknown error 8888") == 0);
  pthread_join(thread, NULL);
  return 0;
}
