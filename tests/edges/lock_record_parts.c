/* SPDX-License-Identifier: Apache-2.0
 *
 * Locks of other parts of a file, and of a part that was given back in the middle of a lock, are not waited for
 * (F_OFD_SETLKW); what is left of that lock holds.
 *
 * verdict: quiet
 */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

static char name[32];
static pthread_barrier_t locked, looked;

static int set(int file, int how, short type, long start, long length)
{
  struct flock lock = {.l_type = type, .l_whence = SEEK_SET, .l_start = start, .l_len = length};
  return fcntl(file, how, &lock);
}

static void *worker(void *unused)
{
  int file = open(name, O_RDWR);
  pthread_barrier_wait(&locked);
  assert(set(file, F_OFD_SETLKW, F_WRLCK, 10, 10) == 0);
  assert(set(file, F_OFD_SETLKW, F_WRLCK, 3, 2) == 0);
  assert(set(file, F_OFD_SETLK, F_RDLCK, 0, 1) == -1 && errno == EAGAIN);
  assert(set(file, F_OFD_SETLK, F_RDLCK, 5, 1) == -1 && errno == EAGAIN);
  pthread_barrier_wait(&looked);
  assert(set(file, F_OFD_SETLKW, F_WRLCK, 0, 0) == 0);
  close(file);
  return unused;
}

int main(void)
{
  pthread_t thread;
  snprintf(name, sizeof name, "/proc/self/fd/%d", memfd_create("lock", 0));
  int file = open(name, O_RDWR);
  pthread_barrier_init(&locked, NULL, 2);
  pthread_barrier_init(&looked, NULL, 2);
  pthread_create(&thread, NULL, worker, NULL);
  assert(set(file, F_OFD_SETLKW, F_WRLCK, 0, 10) == 0);
  assert(set(file, F_OFD_SETLK, F_UNLCK, 3, 2) == 0);
  pthread_barrier_wait(&locked);
  pthread_barrier_wait(&looked);
  close(file);
  pthread_join(thread, NULL);
  return 0;
}
