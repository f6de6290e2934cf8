/* SPDX-License-Identifier: Apache-2.0
 *
 * Locks inside libc that a program can hold across scheduling points, and descriptors a thread can wait for.
 */
#include "case.h"
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

static FILE *file;

static void lock_file(void)
{
  flockfile(file);
  funlockfile(file);
}

static void unlock_file(void)
{
  funlockfile(file);
}

CASE(flockfile, held_by_another, blocks)
{
  file = stderr;
  flockfile(file);
  blocks_until("flockfile", lock_file, unlock_file);
}

CASE(flockfile, twice, proceeds)
{
  flockfile(stderr);
  flockfile(stderr);
  funlockfile(stderr);
  funlockfile(stderr);
  SAW("proceeds");
  SEE("funlockfile", "proceeds");
}

static void try_file(void)
{
  bool busy = ftrylockfile(stderr) != 0;
  SEE("ftrylockfile", busy ? "EBUSY" : "proceeds");
  if (!busy)
    funlockfile(stderr);
}

CASE(ftrylockfile, held_or_free, proceeds, EBUSY)
{
  pthread_t thread = start_call(try_file);
  flockfile(stderr);
  sched_yield();
  funlockfile(stderr);
  finish(thread);
}

static void *print_lines(void *text)
{
  for (int i = 0; i < 3; i++)
    printf("%s\n", (const char *)text);
  return NULL;
}

CASE(printf, lines_stay_whole, whole)
{
  pthread_t a = start(print_lines, (void *)"    :: printf whole"), b = start(print_lines, (void *)"    :: printf whole");
  finish(a);
  finish(b);
}

static int ends[2];

static void read_byte(void)
{
  char byte;
  EXPECT(read(ends[0], &byte, 1) == 1 && byte == 'x');
}

static void write_byte(void)
{
  EXPECT(write(ends[1], "x", 1) == 1);
}

CASE(read, empty_pipe, blocks)
{
  EXPECT(pipe(ends) == 0);
  blocks_until("read", read_byte, write_byte);
}

CASE(read, empty_socket, blocks)
{
  EXPECT(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
  blocks_until("read", read_byte, write_byte);
}

DEADLOCK(read, nobody_writes, "descriptor")
{
  EXPECT(pipe(ends) == 0);
  read_byte();
}

CASE(read, non_blocking, EAGAIN)
{
  char byte;
  EXPECT(pipe2(ends, O_NONBLOCK) == 0);
  FAILS(EAGAIN, read, ends[0], &byte, 1);
}

static void read_until_there(void)
{
  char byte;
  while (read(ends[0], &byte, 1) != 1)
    EXPECT(errno == EAGAIN);
  SEE("read", "proceeds");
}

CASE(read, non_blocking_in_a_loop, proceeds)
{
  EXPECT(pipe2(ends, O_NONBLOCK) == 0);
  pthread_t thread = start_call(read_until_there);
  write_byte();
  finish(thread);
}

static void wait_for_event(void)
{
  uint64_t value;
  EXPECT(read(ends[0], &value, sizeof value) == sizeof value && value == 1);
}

static void send_event(void)
{
  uint64_t one = 1;
  EXPECT(write(ends[0], &one, sizeof one) == sizeof one);
}

CASE(read, eventfd, blocks)
{
  ends[0] = eventfd(0, 0);
  EXPECT(ends[0] >= 0);
  blocks_until("read", wait_for_event, send_event);
}

static void poll_it(void)
{
  struct pollfd p = {.fd = ends[0], .events = POLLIN};
  EXPECT(poll(&p, 1, -1) == 1 && p.revents & POLLIN);
}

CASE(poll, without_a_limit, blocks)
{
  EXPECT(pipe(ends) == 0);
  blocks_until("poll", poll_it, write_byte);
}

static void poll_in_a_loop(void)
{
  struct pollfd p = {.fd = ends[0], .events = POLLIN};
  while (poll(&p, 1, 0) == 0)
    ;
  SEE("poll", "proceeds");
}

CASE(poll, without_waiting_in_a_loop, proceeds)
{
  EXPECT(pipe(ends) == 0);
  pthread_t thread = start_call(poll_in_a_loop);
  write_byte();
  finish(thread);
}

static void poll_five_seconds(void)
{
  struct pollfd p = {.fd = ends[0], .events = POLLIN};
  struct timespec at = after(CLOCK_MONOTONIC, 5);
  int n = poll(&p, 1, 5000);
  EXPECT(n == 0 || n == 1);
  if (n == 0)
    EXPECT(passed(CLOCK_MONOTONIC, at));
  SEE("poll", n ? "proceeds" : "ETIMEDOUT");
}

CASE(poll, ready_or_timed_out, proceeds, ETIMEDOUT)
{
  EXPECT(pipe(ends) == 0);
  pthread_t thread = start_call(poll_five_seconds);
  write_byte();
  finish(thread);
}
