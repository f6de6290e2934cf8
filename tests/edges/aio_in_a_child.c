/* SPDX-License-Identifier: Apache-2.0
 *
 * A child waits for an asynchronous request of its own, without a timeout, while its parent does something else: the
 * wait is over when the request is, whoever ran last.
 *
 * verdict: quiet
 * expect-text: no bug found
 */
#define _GNU_SOURCE
#include <aio.h>
#include <assert.h>
#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
  int ends[2], status;
  if (fork() == 0) {
    char byte = 0;
    assert(pipe(ends) == 0);
    struct aiocb request = {.aio_fildes = ends[0], .aio_buf = &byte, .aio_nbytes = 1};
    const struct aiocb *list[] = {&request};
    assert(aio_read(&request) == 0);
    assert(write(ends[1], "x", 1) == 1);
    assert(aio_suspend(list, 1, NULL) == 0);
    assert(aio_error(&request) == 0 && byte == 'x');
    _exit(0);
  }
  for (int i = 0; i < 50; i++)
    assert(access("/", R_OK) == 0);
  assert(wait(&status) > 0 && status == 0);
  return 0;
}
