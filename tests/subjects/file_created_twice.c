/* SPDX-License-Identifier: Apache-2.0
 *
 * Bug: who makes the file does the work, but both threads make it: O_CREAT without O_EXCL succeeds for both.
 * Interleaving: any in which both come to open(): each takes itself for the first.
 *
 * verdict: assertion
 * threads: 3
 */
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#ifdef FIXED
#define HOW (O_CREAT | O_EXCL | O_WRONLY)
#else
#define HOW (O_CREAT | O_WRONLY)
#endif

static atomic_int workers;

static void *worker(void *unused)
{
  (void)unused;
  if (access("claim", F_OK) == 0)
    return NULL;
  int fd = open("claim", HOW, 0600);
  if (fd >= 0) {
    workers++;
    close(fd);
  }
  return NULL;
}

int main(void)
{
  pthread_t thread[2];
  for (int i = 0; i < 2; i++)
    pthread_create(&thread[i], NULL, worker, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(thread[i], NULL);
  assert(workers == 1);
  unlink("claim");
  return 0;
}
