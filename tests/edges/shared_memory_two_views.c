/* SPDX-License-Identifier: Apache-2.0
 *
 * POSIX shared memory, mapped twice: what one thread writes by one view, the other reads by the other. That the two are
 * the same memory is not seen, so there is no proof.
 *
 * verdict: noproof
 */
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

static int *one, *other;

static void *body(void *unused)
{
  *one = 1;
  return unused;
}

int main(void)
{
  pthread_t thread;
  int fd = shm_open("/views", O_CREAT | O_RDWR, 0600);

  assert(fd >= 0 && ftruncate(fd, 4096) == 0);
  one = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  other = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  shm_unlink("/views");
  pthread_create(&thread, NULL, body, NULL);
  assert(*other == 0);
  pthread_join(thread, NULL);
  return 0;
}
