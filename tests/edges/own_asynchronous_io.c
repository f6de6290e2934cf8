/* SPDX-License-Identifier: Apache-2.0
 *
 * A file is written by the asynchronous calls of POSIX, which have a thread of their own in glibc.
 *
 * verdict: quiet
 */
#include <aio.h>
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <unistd.h>

int main(void)
{
  static char text[] = "hello";
  int fd = open("asynchronous", O_CREAT | O_TRUNC | O_RDWR, 0600);
  struct aiocb request = {.aio_fildes = fd, .aio_buf = text, .aio_nbytes = 5};
  const struct aiocb *list[] = {&request};
  assert(aio_write(&request) == 0);
  while (aio_error(&request) == EINPROGRESS)
    aio_suspend(list, 1, NULL);
  assert(aio_return(&request) == 5);
  assert(lseek(fd, 0, SEEK_END) == 5);
  close(fd);
  unlink("asynchronous");
  return 0;
}
