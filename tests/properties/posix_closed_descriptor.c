/* SPDX-License-Identifier: Apache-2.0
 *
 * ClosedDescriptor: two threads close the same descriptor when they are done with it. Fixed: the last one does. */
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static int fd;
static atomic_int users = 2;

static void *user(void *unused)
{
#ifdef FIXED
  if (atomic_fetch_sub(&users, 1) == 1)
    close(fd);
#else
  atomic_fetch_sub(&users, 1);
  close(fd);
#endif
  return unused;
}

int main(void)
{
  pthread_t thread[2];
  fd = open("/dev/null", O_RDONLY);
  for (int i = 0; i < 2; i++)
    pthread_create(&thread[i], NULL, user, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(thread[i], NULL);
  return 0;
}
