/* SPDX-License-Identifier: Apache-2.0
 *
 * Bug: a lock file is opened, locked, and removed by whoever is done; one that opened it before waits for a lock of a
 * file without a name, while another makes a new file and locks that. The twin leaves the file where it is.
 * Interleaving: T1 opens and locks; T2 opens; T1 is done, unlinks, unlocks; T2 has the lock of the old file, T3 makes
 * and locks a new one: both are in.
 *
 * verdict: assertion
 * threads: 4
 */
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/file.h>
#include <unistd.h>

static atomic_int inside;

static void *worker(void *unused)
{
  (void)unused;
  int fd = open("the.lock", O_CREAT | O_RDWR, 0600);
  flock(fd, LOCK_EX);
  assert(++inside == 1);
  inside--;
#ifndef FIXED
  unlink("the.lock");
#endif
  close(fd);
  return NULL;
}

int main(void)
{
  pthread_t thread[3];
  for (int i = 0; i < 3; i++)
    pthread_create(&thread[i], NULL, worker, NULL);
  for (int i = 0; i < 3; i++)
    pthread_join(thread[i], NULL);
  unlink("the.lock");
  return 0;
}
