/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls on files, which are kept apart for each execution: who comes first makes the file, has the lock, finds the
 * name; and none finds what another execution left.
 */
#include "case.h"
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

static int made(const char *name)
{
  int fd = open(name, O_CREAT | O_EXCL | O_RDWR, 0600);
  EXPECT(fd >= 0); /* in every execution */
  return fd;
}

static void make_file(void)
{
  int fd = open("one", O_CREAT | O_EXCL | O_RDWR, 0600);
  SEE("open", fd >= 0 ? "proceeds" : strerrorname_np(errno));
  if (fd >= 0)
    close(fd);
}

CASE(open, by_two_exclusively, proceeds, EEXIST)
{
  pthread_t thread = start_call(make_file);
  make_file();
  finish(thread);
}

static void remove_file(void)
{
  CALL_ERRNO(unlink, "one");
}

CASE(unlink, by_two, proceeds, ENOENT)
{
  close(made("one"));
  pthread_t thread = start_call(remove_file);
  remove_file();
  finish(thread);
}

static void make_folder(void)
{
  CALL_ERRNO(mkdir, "folder", 0700);
}

CASE(mkdir, by_two, proceeds, EEXIST)
{
  pthread_t thread = start_call(make_folder);
  make_folder();
  finish(thread);
}

static void move_file(void)
{
  CALL_ERRNO(rename, "one", "two");
}

CASE(rename, by_two, proceeds, ENOENT)
{
  close(made("one"));
  pthread_t thread = start_call(move_file);
  move_file();
  finish(thread);
  struct stat s;
  EXPECT(stat("two", &s) == 0 && stat("one", &s) == -1);
}

static int holder = -1;

static void lock_again(void)
{
  int fd = open("lock", O_RDWR);
  RETURNS(0, flock, fd, LOCK_EX);
  close(fd);
}

static void unlock(void)
{
  flock(holder, LOCK_UN);
}

CASE(flock, held_by_another, blocks)
{
  holder = made("lock");
  EXPECT(flock(holder, LOCK_EX) == 0);
  blocks_until("flock", lock_again, unlock);
}

CASE(flock, tries, EAGAIN)
{
  holder = made("lock");
  EXPECT(flock(holder, LOCK_EX) == 0);
  int fd = open("lock", O_RDWR);
  FAILS(EAGAIN, flock, fd, LOCK_EX | LOCK_NB);
}

static void open_to_read(void)
{
  int fd = open("fifo", O_RDONLY);
  EXPECT(fd >= 0);
  close(fd);
}

static void open_to_write(void)
{
  int fd = open("fifo", O_WRONLY);
  EXPECT(fd >= 0);
  close(fd);
}

CASE(mkfifo, waits_for_a_writer, blocks)
{
  RETURNS(0, mkfifo, "fifo", 0600);
  blocks_until("mkfifo", open_to_read, open_to_write);
}

CASE(mkfifo, waits_for_a_reader, blocks)
{
  RETURNS(0, mkfifo, "fifo", 0600);
  FAILS(EEXIST, mkfifo, "fifo", 0600);
  blocks_until("mkfifo", open_to_write, open_to_read);
}
