/* SPDX-License-Identifier: Apache-2.0
 *
 * A thread takes the identity it has already; libc tells all other threads.
 *
 * verdict: complete
 */
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

static void *sets(void *unused)
{
  (void)unused;
  assert(seteuid(geteuid()) == 0);
  return NULL;
}

int main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, sets, NULL);
  assert(setegid(getegid()) == 0);
  pthread_join(thread, NULL);
  return 0;
}
