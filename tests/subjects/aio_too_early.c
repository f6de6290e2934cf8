/* SPDX-License-Identifier: Apache-2.0
 *
 * A record is read asynchronously, and used as soon as the request was made: the buffer may still hold what it held
 * before. Fixed: the program waits for the end of the request.
 *
 * verdict: assertion
 * also: race
 * threads: 2
 * flags: -D_GNU_SOURCE
 */
#include <aio.h>
#include <assert.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static char record[8];

int main(void)
{
  int fd = memfd_create("records", 0);
  struct aiocb request = {.aio_fildes = fd, .aio_buf = record, .aio_nbytes = 7};

  request.aio_sigevent.sigev_notify = SIGEV_NONE;
  assert(write(fd, "account", 7) == 7);
  assert(aio_read(&request) == 0);
#ifdef FIXED
  const struct aiocb *list[1] = {&request};
  while (aio_error(&request) == EINPROGRESS)
    aio_suspend(list, 1, NULL);
  assert(aio_return(&request) == 7);
#endif
  assert(strcmp(record, "account") == 0);
  close(fd);
  return 0;
}
