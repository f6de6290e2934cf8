/* SPDX-License-Identifier: Apache-2.0
 *
 * A descriptor is closed twice; between the two closes it became somebody else's file. Natively, with pauses, it
 * failed in 6 of 1000 runs.
 *
 * verdict: noproof
 */
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

static int shared;

static void *closer(void *unused)
{
  (void)unused;
  close(shared);
  close(shared);
  return NULL;
}

int main(void)
{
  pthread_t thread;
  shared = open("/dev/null", O_WRONLY);
  pthread_create(&thread, NULL, closer, NULL);
  int mine = open("/dev/null", O_WRONLY);
  assert(write(mine, "x", 1) == 1);
  pthread_join(thread, NULL);
  return 0;
}
