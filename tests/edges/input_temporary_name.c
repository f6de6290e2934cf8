/* SPDX-License-Identifier: Apache-2.0
 *
 * The name of a temporary file is anybody's guess, and the program makes something of it.
 *
 * verdict: noproof
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static void *nothing(void *unused)
{
  return unused;
}

int main(void)
{
  pthread_t thread;
  char name[] = "made-XXXXXX";
  pthread_create(&thread, NULL, nothing, NULL);
  assert(mkstemp(name) >= 0);
  pthread_join(thread, NULL);
  unlink(name);
  assert(name[5] != 'Q');
  return 0;
}
