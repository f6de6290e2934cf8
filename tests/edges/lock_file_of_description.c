/* SPDX-License-Identifier: Apache-2.0
 *
 * Locks of open file descriptions (F_OFD_SETLKW): two threads that opened the same file for themselves exclude each
 * other. The file is in memory and opened again by its name in /proc. No failure in 200 native runs.
 *
 * verdict: quiet
 */
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

static char name[32];
static int counter;

static void *worker(void *unused)
{
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  int file = open(name, O_RDWR);
  assert(fcntl(file, F_OFD_SETLKW, &lock) == 0);
  counter++;
  lock.l_type = F_UNLCK;
  assert(fcntl(file, F_OFD_SETLK, &lock) == 0);
  close(file);
  return unused;
}

int main(void)
{
  pthread_t thread;
  snprintf(name, sizeof name, "/proc/self/fd/%d", memfd_create("lock", 0));
  pthread_create(&thread, NULL, worker, NULL);
  worker(NULL);
  pthread_join(thread, NULL);
  assert(counter == 2);
  return 0;
}
