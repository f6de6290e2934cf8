/* SPDX-License-Identifier: Apache-2.0
 *
 * Asynchronous requests: <aio.h>.
 */
#include "case.h"
#include <sys/wait.h>
#include <aio.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>

static char memory[3][8];
static struct aiocb block[3];

static int make_file(int flags)
{
  int fd = memfd_create("case", 0);
  EXPECT(fd >= 0 && write(fd, "abcdefgh", 8) == 8);
  EXPECT(fcntl(fd, F_SETFL, flags) == 0);
  return fd;
}

static void ask(int i, int fd, off_t offset)
{
  block[i] = (struct aiocb){.aio_fildes = fd, .aio_buf = memory[i], .aio_nbytes = 4, .aio_offset = offset};
  block[i].aio_sigevent.sigev_notify = SIGEV_NONE;
}

static int await(int i)
{
  const struct aiocb *list[1] = {&block[i]};
  while (aio_error(&block[i]) == EINPROGRESS)
    if (aio_suspend(list, 1, NULL))
      return errno;
  return aio_error(&block[i]);
}

static void finish_reading(int i, const char *text)
{
  EXPECT(await(i) == 0 && aio_return(&block[i]) == 4 && !memcmp(memory[i], text, 4));
  SEE("aio_error", "proceeds");
  SEE("aio_return", "proceeds");
  SEE("aio_suspend", "proceeds");
}

CASE(aio_read, two, proceeds, EINVAL)
{
  int fd = make_file(0);
  ask(0, fd, 0);
  ask(1, fd, 4);
  RETURNS(0, aio_read, &block[0]);
  RETURNS(0, aio_read, &block[1]);
  finish_reading(0, "abcd");
  finish_reading(1, "efgh");
  ask(2, fd, -1);
  FAILS(EINVAL, aio_read, &block[2]);
  ask(2, fd, 0);
  block[2].aio_reqprio = -1;
  FAILS(EINVAL, aio_read, &block[2]);
}

RACE(aio_read, before_it_is_over, "data race on memory[0]")
{
  ask(0, make_file(0), 0);
  aio_read(&block[0]);
  EXPECT(memory[0][0] != 'x');
  await(0);
}

CASE(aio_error, while_it_is_read, EINPROGRESS, proceeds, EBADF)
{
  ask(0, make_file(0), 0);
  RETURNS(0, aio_read, &block[0]);
  int error = CALL(aio_error, &block[0]);
  EXPECT(error == 0 || error == EINPROGRESS);
  finish_reading(0, "abcd");
  ask(1, -1, 0);
  RETURNS(0, aio_read, &block[1]);
  EXPECT(await(1) == EBADF && aio_return(&block[1]) == -1);
  SAW("EBADF");
}

CASE(aio_write, any, any_order)
{
  char text[8];
  int fd = make_file(0);
  strcpy(memory[0], "1111");
  strcpy(memory[1], "2222");
  ask(0, fd, 0);
  ask(1, fd, 2);
  RETURNS(0, aio_write, &block[0]);
  RETURNS(0, aio_write, &block[1]);
  EXPECT(await(0) == 0 && await(1) == 0 && pread(fd, text, 6, 0) == 6);
  EXPECT(!memcmp(text, "111122", 6) || !memcmp(text, "112222", 6));
  if (!memcmp(text, "111122", 6))
    SAW("any_order");
}

CASE(aio_write, appended, in_order)
{
  char text[16];
  int fd = make_file(O_APPEND);
  strcpy(memory[0], "1111");
  strcpy(memory[1], "2222");
  ask(0, fd, 0);
  ask(1, fd, 0);
  RETURNS(0, aio_write, &block[0]);
  RETURNS(0, aio_write, &block[1]);
  EXPECT(await(0) == 0 && await(1) == 0 && pread(fd, text, 16, 0) == 16);
  EXPECT(!memcmp(text, "abcdefgh11112222", 16));
  SAW("in_order");
}

CASE(aio_fsync, after_a_write, proceeds, EINVAL, EBADF)
{
  int fd = make_file(0);
  ask(0, fd, 0);
  ask(1, fd, 0);
  RETURNS(0, aio_write, &block[0]);
  RETURNS(0, aio_fsync, O_SYNC, &block[1]);
  EXPECT(await(1) == 0 && aio_error(&block[0]) == 0);
  FAILS(EINVAL, aio_fsync, O_RDWR, &block[1]);
  ask(1, -1, 0);
  FAILS(EBADF, aio_fsync, O_SYNC, &block[1]);
}

static int ends[2];

static void make_pipe(void)
{
  EXPECT(pipe(ends) == 0);
  ask(0, ends[0], 0);
  RETURNS(0, aio_read, &block[0]);
}

static void wait_for_it(void)
{
  EXPECT(await(0) == 0);
}

static void write_it(void)
{
  EXPECT(write(ends[1], "abcd", 4) == 4);
}

/* It waits for its own request, without a timeout, while the parent does something else. */
CASE(aio_suspend, in_a_child)
{
  int status;
  if (fork() == 0) {
    int ends[2];
    char byte = 0;
    EXPECT(pipe(ends) == 0);
    struct aiocb request = {.aio_fildes = ends[0], .aio_buf = &byte, .aio_nbytes = 1};
    const struct aiocb *list[] = {&request};
    EXPECT(aio_read(&request) == 0);
    EXPECT(write(ends[1], "x", 1) == 1);
    EXPECT(aio_suspend(list, 1, NULL) == 0);
    EXPECT(aio_error(&request) == 0 && byte == 'x');
    _exit(0);
  }
  for (int i = 0; i < 10; i++)
    EXPECT(access("/", R_OK) == 0);
  EXPECT(wait(&status) > 0 && status == 0);
}

CASE(aio_suspend, empty_pipe, blocks)
{
  make_pipe();
  blocks_until("aio_suspend", wait_for_it, write_it);
}

DEADLOCK(aio_suspend, nobody_writes, "deadlock")
{
  make_pipe();
  await(0);
}

CASE(aio_suspend, with_a_timeout, EAGAIN)
{
  struct timespec patience = {.tv_sec = 1};
  const struct aiocb *list[1] = {&block[0]};
  make_pipe();
  FAILS(EAGAIN, aio_suspend, list, 1, &patience);
}

static int handled;

static void handle(int signal)
{
  (void)signal;
  SET(handled);
}

static void *suspended(void *unused)
{
  const struct aiocb *list[1] = {&block[0]};
  int error = CALL_ERRNO(aio_suspend, list, 1, NULL);
  EXPECT(error == 0 || (error == EINTR && GET(handled)));
  return unused;
}

CASE(aio_suspend, interrupted, proceeds, EINTR)
{
  struct sigaction action = {.sa_handler = handle, .sa_flags = SA_RESTART};
  sigaction(SIGUSR1, &action, NULL);
  make_pipe();
  pthread_t thread = start(suspended, NULL);
  EXPECT(pthread_kill(thread, SIGUSR1) == 0);
  write_it();
  finish(thread);
}

CASE(aio_suspend, cancelled, cancelled)
{
  make_pipe();
  pthread_t thread = start(suspended, NULL);
  EXPECT(pthread_cancel(thread) == 0);
  EXPECT(finish(thread) == PTHREAD_CANCELED);
  SAW("cancelled");
}

CASE(aio_cancel, begun_or_not, cancelled, not_cancelled, all_done, aio_error:ECANCELED)
{
  ask(0, make_file(0), 0);
  RETURNS(0, aio_read, &block[0]);
  switch (aio_cancel(block[0].aio_fildes, &block[0])) {
  case AIO_CANCELED:
    RETURNS(ECANCELED, aio_error, &block[0]);
    EXPECT(aio_return(&block[0]) == -1);
    SAW("cancelled");
    return;
  case AIO_NOTCANCELED:
    SAW("not_cancelled");
    break;
  default:
    SAW("all_done");
  }
  finish_reading(0, "abcd");
}

CASE(aio_cancel, wrong, EBADF, EINVAL)
{
  int fd = make_file(0);
  ask(0, fd, 0);
  FAILS(EBADF, aio_cancel, -1, NULL);
  FAILS(EINVAL, aio_cancel, 0, &block[0]);
}

/* ---- telling of the end ---- */

static void take_info(int signal, siginfo_t *info, void *context)
{
  (void)signal, (void)context;
  EXPECT(info->si_code == SI_ASYNCIO && info->si_value.sival_int == 5);
  SET(handled);
}

static struct sigevent by_signal(void)
{
  struct sigaction action = {.sa_sigaction = take_info, .sa_flags = SA_SIGINFO};
  sigaction(SIGUSR1, &action, NULL);
  return (struct sigevent){.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1, .sigev_value.sival_int = 5};
}

CASE(aio_read, by_signal, signalled)
{
  ask(0, make_file(0), 0);
  block[0].aio_sigevent = by_signal();
  RETURNS(0, aio_read, &block[0]);
  while (!GET(handled))
    sched_yield();
  EXPECT(aio_error(&block[0]) == 0 && aio_return(&block[0]) == 4);
  SAW("signalled");
}

static void on_thread(union sigval value)
{
  struct aiocb *own = value.sival_ptr;
  EXPECT(aio_error(own) == 0 && aio_return(own) == 4 && !memcmp(memory[0], "abcd", 4));
  SEE("aio_read", "in_a_thread");
  SET(handled);
}

CASE(aio_read, by_thread, in_a_thread)
{
  ask(0, make_file(0), 0);
  block[0].aio_sigevent.sigev_notify = SIGEV_THREAD;
  block[0].aio_sigevent.sigev_notify_function = on_thread;
  block[0].aio_sigevent.sigev_value.sival_ptr = &block[0];
  RETURNS(0, aio_read, &block[0]);
  while (!GET(handled))
    sched_yield();
}

static struct aiocb *const list[3] = {&block[0], &block[1], &block[2]};

static void make_list(void)
{
  int fd = make_file(0);
  ask(0, fd, 0);
  ask(1, fd, 4);
  block[0].aio_lio_opcode = block[1].aio_lio_opcode = LIO_READ;
  block[2].aio_lio_opcode = LIO_NOP;
}

CASE(lio_listio, waits, proceeds, EINVAL, EIO)
{
  make_list();
  RETURNS(0, lio_listio, LIO_WAIT, list, 3, NULL);
  EXPECT(!memcmp(memory[0], "abcd", 4) && !memcmp(memory[1], "efgh", 4));
  FAILS(EINVAL, lio_listio, 77, list, 3, NULL);
  FAILS(EINVAL, lio_listio, LIO_WAIT, list, -1, NULL);
  block[1].aio_fildes = -1;
  FAILS(EIO, lio_listio, LIO_WAIT, list, 3, NULL);
  EXPECT(aio_error(&block[0]) == 0 && aio_error(&block[1]) == EBADF);
}

CASE(lio_listio, tells, signalled)
{
  struct sigevent event = by_signal();
  make_list();
  RETURNS(0, lio_listio, LIO_NOWAIT, list, 3, &event);
  while (!GET(handled))
    sched_yield();
  EXPECT(aio_error(&block[0]) == 0 && aio_error(&block[1]) == 0);
  SAW("signalled");
}

/* ---- with 64 bit offsets, which all offsets are ---- */

CASE(aio_read64, all, proceeds, aio_write64:proceeds, aio_fsync64:proceeds, aio_error64:proceeds, aio_return64:proceeds,
     aio_suspend64:proceeds, aio_cancel64:all_done, lio_listio64:proceeds)
{
  struct aiocb64 one = {.aio_fildes = make_file(0), .aio_buf = memory[0], .aio_nbytes = 4}, *ones[1] = {&one};
  const struct aiocb64 *awaited[1] = {&one};
  one.aio_sigevent.sigev_notify = SIGEV_NONE;
  RETURNS(0, aio_read64, &one);
  RETURNS(0, aio_suspend64, awaited, 1, NULL);
  RETURNS(0, aio_error64, &one);
  EXPECT(aio_return64(&one) == 4 && !memcmp(memory[0], "abcd", 4));
  SEE("aio_return64", "proceeds");
  RETURNS(0, aio_write64, &one);
  EXPECT(aio_suspend64(awaited, 1, NULL) == 0);
  RETURNS(0, aio_fsync64, O_SYNC, &one);
  EXPECT(aio_suspend64(awaited, 1, NULL) == 0);
  EXPECT(aio_cancel64(one.aio_fildes, &one) == AIO_ALLDONE);
  SEE("aio_cancel64", "all_done");
  one.aio_lio_opcode = LIO_READ;
  RETURNS(0, lio_listio64, LIO_WAIT, ones, 1, NULL);
}
