/* SPDX-License-Identifier: Apache-2.0
 *
 * A lock file by O_EXCL: whoever cannot create it expects to find the owner's name, which is written only afterwards.
 * Natively, with pauses, it failed in 183 of 1000 runs.
 *
 * verdict: noproof
 */
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static atomic_int owner;

static void *instance(void *number)
{
  int fd = open("instance.lock", O_CREAT | O_EXCL | O_WRONLY, 0600);
  if (fd >= 0) {
    atomic_store(&owner, (int)(long)number);
    close(fd);
  } else {
    assert(atomic_load(&owner) != 0);
  }
  return NULL;
}

int main(void)
{
  pthread_t thread[2];
  unlink("instance.lock");
  for (long i = 0; i < 2; i++)
    pthread_create(&thread[i], NULL, instance, (void *)(i + 1));
  for (int i = 0; i < 2; i++)
    pthread_join(thread[i], NULL);
  unlink("instance.lock");
  return 0;
}
