/* SPDX-License-Identifier: Apache-2.0
 *
 * A message goes to a pipe that does not block: what there is no room for is not written, and nobody looks how much that
 * was. Unless the reader makes room in time, the rest of it is lost. The twin writes the rest when there is room again.
 *
 * verdict: assertion
 * threads: 2
 */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <unistd.h>

#define PIECE 4096
#define PIECES 2

static int ends[2];
static char message[PIECES * PIECE];

static void *reads(void *total)
{
  static char piece[PIECES * PIECE];
  for (long n; (n = read(ends[0], piece, sizeof piece)) > 0;)
    *(long *)total += n;
  return NULL;
}

static void send_all(void)
{
#ifdef FIXED
  for (long done = 0; done < (long)sizeof message;) {
    long n = write(ends[1], message + done, sizeof message - (size_t)done);
    struct pollfd one = {.fd = ends[1], .events = POLLOUT};
    assert(n > 0 || errno == EAGAIN);
    if (n < 0)
      poll(&one, 1, -1);
    done += n > 0 ? n : 0;
  }
#else
  assert(write(ends[1], message, sizeof message) > 0);
#endif
}

int main(void)
{
  pthread_t thread;
  long total = 0;
  assert(pipe(ends) == 0 && fcntl(ends[1], F_SETPIPE_SZ, PIECES * PIECE) == PIECES * PIECE);
  assert(fcntl(ends[1], F_SETFL, O_NONBLOCK) == 0 && write(ends[1], "x", 1) == 1);
  pthread_create(&thread, NULL, reads, &total);
  send_all();
  close(ends[1]);
  pthread_join(thread, NULL);
  assert(total == 1 + (long)sizeof message);
  return 0;
}
