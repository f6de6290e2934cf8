/* SPDX-License-Identifier: Apache-2.0
 *
 * stream K KIND: one thread writes K bytes, one by one, another reads them, one by one. What is read was written before, so
 * there are as many orders as there are balanced sequences of K pairs of brackets: a Catalan number. KIND 0 is a pipe, 1 a
 * pair of sockets, 2 a counter that is a semaphore.
 */
#include "together.h"
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

static void *writer(void *arg)
{
  uint64_t one = 1;
  for (int i = 0; i < first(arg) / 16; i++)
    assert(write(second(arg), &one, (size_t)(first(arg) % 16)) > 0);
  return NULL;
}

static void *reader(void *arg)
{
  uint64_t one = 0;
  for (int i = 0; i < first(arg) / 16; i++)
    assert(read(second(arg), &one, (size_t)(first(arg) % 16)) > 0);
  return NULL;
}

int main(int argc, char **argv)
{
  int k = number(argc, argv, 1, 2), kind = number(argc, argv, 2, 0), fds[2], size = kind == 2 ? 8 : 1;

  if (kind == 0)
    assert(pipe(fds) == 0);
  else if (kind == 1)
    assert(socketpair(AF_UNIX, SOCK_STREAM, 0, fds) == 0);
  else
    fds[0] = fds[1] = eventfd(0, EFD_SEMAPHORE);
  start(writer, k * 16 + size, fds[1]);
  start(reader, k * 16 + size, fds[0]);
  finish();
  printf("\n");
  return 0;
}
