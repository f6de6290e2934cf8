/* SPDX-License-Identifier: Apache-2.0
 *
 * fcntl locks belong to the process: two threads do not exclude each other. Natively, with pauses, it failed in 15 of
 * 300 runs.
 *
 * verdict: noproof
 */
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
  int fd = open("process", O_RDWR);
  fcntl(fd, F_SETLKW, &lock);
  assert(atomic_fetch_add(&inside, 1) == 0);
  atomic_fetch_sub(&inside, 1);
  close(fd);
  return NULL;
}

int main(void)
{
  pthread_t thread[2];
  close(open("process", O_CREAT | O_RDWR, 0600));
  for (int i = 0; i < 2; i++)
    pthread_create(&thread[i], NULL, worker, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(thread[i], NULL);
  unlink("process");
  return 0;
}
