/* SPDX-License-Identifier: Apache-2.0
 *
 * A counter in a file is incremented under a mutex. No failure in 250 native runs with pauses.
 *
 * verdict: quiet
 */
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

static int fd;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *worker(void *unused)
{
  (void)unused;
  int count = 0;
  pthread_mutex_lock(&mutex);
  pread(fd, &count, sizeof count, 0);
  count++;
  pwrite(fd, &count, sizeof count, 0);
  pthread_mutex_unlock(&mutex);
  return NULL;
}

int main(void)
{
  pthread_t thread[2];
  int count = 0;
  fd = open("counter", O_CREAT | O_TRUNC | O_RDWR, 0600);
  pwrite(fd, &count, sizeof count, 0);
  for (int i = 0; i < 2; i++)
    pthread_create(&thread[i], NULL, worker, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(thread[i], NULL);
  pread(fd, &count, sizeof count, 0);
  close(fd);
  unlink("counter");
  assert(count == 2);
  return 0;
}
