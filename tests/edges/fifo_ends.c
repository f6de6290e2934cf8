/* SPDX-License-Identifier: Apache-2.0
 *
 * What the ends of a FIFO say: before there was a writer, with one, after it; and that a descriptor says of it what its
 * file does.
 *
 * verdict: complete
 */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

static short events_of(int fd)
{
  struct pollfd one = {.fd = fd, .events = POLLIN | POLLOUT};
  assert(poll(&one, 1, 0) >= 0);
  return one.revents;
}

int main(void)
{
  char text[8];
  struct stat by_name, by_number;
  assert(mkfifo("way", 0640) == 0 && chmod("way", 0640) == 0);
  assert(open("way", O_WRONLY | O_NONBLOCK) == -1 && errno == ENXIO);
  int in = open("way", O_RDONLY | O_NONBLOCK);
  assert(in == 3);
  assert(read(in, text, sizeof text) == 0 && events_of(in) == 0); /* nobody has written, and nobody has left */
  int out = open("way", O_WRONLY | O_NONBLOCK);
  assert(out == 4 && (fcntl(out, F_GETFL) & (O_ACCMODE | O_NONBLOCK)) == (O_WRONLY | O_NONBLOCK));
  assert(read(in, text, sizeof text) == -1 && errno == EAGAIN);
  assert(write(out, "abc", 3) == 3 && events_of(in) == POLLIN && read(in, text, sizeof text) == 3);
  assert(stat("way", &by_name) == 0 && fstat(in, &by_number) == 0);
  assert(S_ISFIFO(by_number.st_mode) && (by_number.st_mode & 0777) == 0640 && by_number.st_ino == by_name.st_ino);
  assert(fchmod(in, 0600) == 0 && stat("way", &by_name) == 0 && (by_name.st_mode & 0777) == 0600);
  assert(lseek(in, 0, SEEK_CUR) == -1 && errno == ESPIPE);
  assert(write(out, "de", 2) == 2 && close(out) == 0);
  assert(events_of(in) == (POLLIN | POLLHUP) && read(in, text, sizeof text) == 2);
  assert(events_of(in) == POLLHUP && read(in, text, sizeof text) == 0);
  out = open("way", O_WRONLY);
  assert(out == 4 && events_of(in) == 0 && close(in) == 0 && events_of(out) & POLLERR);
  signal(SIGPIPE, SIG_IGN);
  assert(write(out, "f", 1) == -1 && errno == EPIPE && close(out) == 0);
  int both = open("way", O_RDWR); /* its own partner */
  assert(both == 3 && write(both, "gh", 2) == 2 && read(both, text, sizeof text) == 2);
  assert(unlink("way") == 0 && write(both, "i", 1) == 1 && close(both) == 0);
  assert(mkfifo("way", 0600) == 0 && (both = open("way", O_RDWR | O_NONBLOCK)) == 3);
  assert(read(both, text, sizeof text) == -1 && errno == EAGAIN); /* another one, by the same name */
  return unlink("way");
}
