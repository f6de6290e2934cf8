/* SPDX-License-Identifier: Apache-2.0
 *
 * Bug: both threads have a shared lock of a file and want it for themselves: each waits for the other to give back
 * what it holds. Record locks of open file descriptions keep the old lock until they have the new one. The twin takes
 * the exclusive lock at once.
 * Interleaving: T1 locks shared; T2 locks shared; both wait for the exclusive lock.
 *
 * verdict: deadlock
 * threads: 3
 */
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static void lock(int fd, short how)
{
  struct flock lock = {.l_type = how, .l_whence = SEEK_SET};
  assert(fcntl(fd, F_OFD_SETLKW, &lock) == 0);
}

static void *worker(void *unused)
{
  (void)unused;
  int fd = open("shared", O_RDWR);
#ifndef FIXED
  lock(fd, F_RDLCK);
#endif
  lock(fd, F_WRLCK);
  close(fd);
  return NULL;
}

int main(void)
{
  pthread_t thread[2];
  close(open("shared", O_CREAT | O_RDWR, 0600));
  for (int i = 0; i < 2; i++)
    pthread_create(&thread[i], NULL, worker, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(thread[i], NULL);
  unlink("shared");
  return 0;
}
