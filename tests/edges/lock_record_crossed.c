/* SPDX-License-Identifier: Apache-2.0
 *
 * Two threads lock two parts of a file, each by its own open file description and in its own order (F_OFD_SETLKW).
 * Natively, with pauses, both wait for ever.
 *
 * verdict: find
 * kind: deadlock
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

static char name[32];

static void set(int file, short type, long part)
{
  struct flock lock = {.l_type = type, .l_whence = SEEK_SET, .l_start = part * 10, .l_len = 10};
  fcntl(file, type == F_UNLCK ? F_OFD_SETLK : F_OFD_SETLKW, &lock);
}

static void *both(void *first)
{
  int file = open(name, O_RDWR);
  set(file, F_WRLCK, first != NULL);
  set(file, F_WRLCK, first == NULL);
  set(file, F_UNLCK, 0);
  set(file, F_UNLCK, 1);
  close(file);
  return NULL;
}

int main(void)
{
  pthread_t thread;
  snprintf(name, sizeof name, "/proc/self/fd/%d", memfd_create("lock", 0));
  pthread_create(&thread, NULL, both, NULL);
  both(name);
  pthread_join(thread, NULL);
  return 0;
}
