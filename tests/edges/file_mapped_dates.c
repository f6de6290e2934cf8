/* SPDX-License-Identifier: Apache-2.0
 *
 * A file that is written to by way of memory has been modified by the time of the next msync(), and not if nothing was
 * written; it has been looked at between mmap() and munmap(). What is written past its end, into the rest of its last
 * page, is not in the file, whoever maps it next. Natively on ext4 it passes; on tmpfs the last one does not hold.
 *
 * verdict: quiet
 */
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define SIZE 1000

static struct stat now(int fd)
{
  struct stat s;
  assert(fstat(fd, &s) == 0);
  sleep(2);
  return s;
}

static char *map(int fd)
{
  char *p = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  assert(p != MAP_FAILED);
  return p;
}

int main(void)
{
  char text[SIZE] = "abc";
  int fd = open("heddle-mapped-file", O_CREAT | O_RDWR | O_TRUNC, 0600);
  assert(fd >= 0 && write(fd, text, sizeof text) == sizeof text);
  unlink("heddle-mapped-file");
  struct stat written = now(fd);
  char *p = map(fd);
  volatile char first = p[0];
  assert(msync(p, SIZE, MS_SYNC) == 0);
  struct stat mapped = now(fd);
  assert(mapped.st_atime > written.st_atime);
  assert(mapped.st_mtime == written.st_mtime);
  p[0] = first + 1;
  p[SIZE] = 'x';
  assert(msync(p, SIZE, MS_SYNC) == 0);
  struct stat changed = now(fd);
  assert(changed.st_mtime > mapped.st_mtime && changed.st_ctime > mapped.st_ctime);
  assert(changed.st_size == SIZE);
  assert(munmap(p, SIZE) == 0);
  p = map(fd);
  assert(p[0] == 'b' && p[SIZE] == 0);
  return 0;
}
