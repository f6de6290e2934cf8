/* SPDX-License-Identifier: Apache-2.0
 *
 * Two threads exclude each other by locks of open file descriptions.
 *
 * verdict: quiet
 */
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static atomic_int inside;

static void *worker(void *unused)
{
  (void)unused;
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  int fd = open("described", O_RDWR);
  assert(fcntl(fd, F_OFD_SETLKW, &lock) == 0);
  assert(atomic_fetch_add(&inside, 1) == 0);
  atomic_fetch_sub(&inside, 1);
  lock.l_type = F_UNLCK;
  assert(fcntl(fd, F_OFD_SETLK, &lock) == 0);
  close(fd);
  return NULL;
}

int main(void)
{
  pthread_t thread[2];
  close(open("described", O_CREAT | O_RDWR, 0600));
  for (int i = 0; i < 2; i++)
    pthread_create(&thread[i], NULL, worker, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(thread[i], NULL);
  unlink("described");
  return 0;
}
