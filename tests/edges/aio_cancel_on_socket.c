/* SPDX-License-Identifier: Apache-2.0
 *
 * Requests on a socket can be cancelled, or have begun; both are what aio_cancel() says, and it knows the socket.
 *
 * verdict: quiet
 */
#include <aio.h>
#include <assert.h>
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

int main(void)
{
  int pair[2];
  char text[2] = "";
  struct aiocb request;
  assert(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
  memset(&request, 0, sizeof request);
  request.aio_fildes = pair[0];
  request.aio_buf = text;
  request.aio_nbytes = 1;
  request.aio_sigevent.sigev_notify = SIGEV_NONE;
  assert(aio_read(&request) == 0);
  int result = aio_cancel(pair[0], &request);
  assert(result == AIO_CANCELED || result == AIO_NOTCANCELED);
  assert(write(pair[1], "x", 1) == 1);
  const struct aiocb *list[] = {&request};
  while (aio_error(&request) == EINPROGRESS)
    aio_suspend(list, 1, NULL);
  assert(aio_error(&request) == (result == AIO_CANCELED ? ECANCELED : 0));
  assert(aio_cancel(-1, NULL) == -1 && errno == EBADF);
  return 0;
}
