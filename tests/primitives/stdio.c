/* SPDX-License-Identifier: Apache-2.0
 *
 * Locks inside libc that a program can hold across scheduling points, and descriptors a thread can wait for.
 */
#include "case.h"
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
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

/* ---- calls on one stream by two threads: each is whole, in either order ---- */

static char contents[64];

static void open_contents(const char *text)
{
  strcpy(contents, text);
  EXPECT((file = fmemopen(contents, sizeof contents, *text ? "r" : "w+")));
}

static void *call_with(void *function)
{
  ((void (*)(char))function)('b');
  return NULL;
}

static const char *const place[] = {"first", "between", "last"};

/* Another thread writes a line, this one two: before, between or after them. */
static void write_both(const char *function, void (*write_letter)(char))
{
  open_contents("");
  pthread_t other = start(call_with, (void *)write_letter);
  write_letter('a');
  write_letter('a');
  finish(other);
  EXPECT(fflush(file) == 0);
  const char *line = strchr(contents, 'b');
  EXPECT(line && strlen(contents) == 6 && contents[1] == '\n' && contents[3] == '\n' && contents[5] == '\n');
  SEE(function, place[(line - contents) / 2]);
}

static char got;

static void *read_for_another(void *function)
{
  got = ((char (*)(void))function)();
  return NULL;
}

/* Another thread reads a line, this one two. */
static void read_both(const char *function, char (*read_letter)(void))
{
  open_contents("a\nb\nc\n");
  pthread_t other = start(read_for_another, (void *)read_letter);
  int mine = read_letter();
  mine += read_letter();
  finish(other);
  EXPECT(got >= 'a' && got <= 'c' && mine + got == 'a' + 'b' + 'c');
  SEE(function, place[got - 'a']);
}

#define WRITES(function, ...)                                                                                \
  static void use_##function(char letter)                                                                    \
  {                                                                                                          \
    __VA_ARGS__                                                                                              \
  }                                                                                                          \
  CASE(function, by_two, first, between, last)                                                                      \
  {                                                                                                          \
    write_both(#function, use_##function);                                                                   \
  }

#define READS(function, ...)                                                                                 \
  static char use_##function(void)                                                                           \
  {                                                                                                          \
    __VA_ARGS__                                                                                              \
  }                                                                                                          \
  CASE(function, by_two, first, between, last)                                                                      \
  {                                                                                                          \
    read_both(#function, use_##function);                                                                    \
  }

static int print_to(const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  int n = vfprintf(file, format, arguments);
  va_end(arguments);
  return n;
}

/* What -D_FORTIFY_SOURCE makes of them. */
int __fprintf_chk(FILE *, int, const char *, ...);
int __vfprintf_chk(FILE *, int, const char *, va_list);
char *__fgets_chk(char *, size_t, int, FILE *);
size_t __fread_chk(void *, size_t, size_t, size_t, FILE *);

static int print_checked(const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  int n = __vfprintf_chk(file, 1, format, arguments);
  va_end(arguments);
  return n;
}

WRITES(fputs, char line[] = {letter, '\n', 0}; EXPECT(fputs(line, file) >= 0);)
WRITES(fwrite, char line[] = {letter, '\n'}; EXPECT(fwrite(line, 1, 2, file) == 2);)
WRITES(fprintf, EXPECT(fprintf(file, "%c%s", letter, "\n") == 2);)
WRITES(vfprintf, EXPECT(print_to("%c%s", letter, "\n") == 2);)
WRITES(__fprintf_chk, EXPECT(__fprintf_chk(file, 1, "%c%s", letter, "\n") == 2);)
WRITES(__vfprintf_chk, EXPECT(print_checked("%c%s", letter, "\n") == 2);)

/* Two calls, which a lock keeps together. */
WRITES(fputc, flockfile(file); EXPECT(fputc(letter, file) == letter && fputc('\n', file) == '\n'); funlockfile(file);)
WRITES(putc, flockfile(file); EXPECT((putc)(letter, file) == letter && (putc)('\n', file) == '\n'); funlockfile(file);)

READS(fgets, char line[8]; EXPECT(fgets(line, sizeof line, file)); return *line;)
READS(fread, char line[2]; EXPECT(fread(line, 1, 2, file) == 2); return *line;)
READS(__fgets_chk, char line[8]; EXPECT(__fgets_chk(line, sizeof line, sizeof line, file)); return *line;)
READS(__fread_chk, char line[2]; EXPECT(__fread_chk(line, sizeof line, 1, 2, file) == 2); return *line;)
READS(fgetc, flockfile(file); int c = fgetc(file); fgetc(file); funlockfile(file); return (char)c;)
READS(getc, flockfile(file); int c = (getc)(file); (getc)(file); funlockfile(file); return (char)c;)

static char first_of(ssize_t length, char *line)
{
  EXPECT(length == 2);
  char letter = *line;
  free(line);
  return letter;
}

READS(getline, char *line = NULL; size_t size = 0; ssize_t n = getline(&line, &size, file); return first_of(n, line);)
READS(getdelim, char *line = NULL; size_t size = 0; ssize_t n = getdelim(&line, &size, '\n', file);
      return first_of(n, line);)
READS(__getdelim, char *line = NULL; size_t size = 0; ssize_t n = __getdelim(&line, &size, '\n', file);
      return first_of(n, line);)

/* ---- where a stream is ---- */

static int (*move)(void);

static void *move_there(void *arg)
{
  EXPECT(move() == 0);
  return arg;
}

/* Another thread changes what is read next, which is 'b': before or after it is read. */
static void move_before_or_after(const char *function, int (*call)(void))
{
  open_contents("ab");
  EXPECT(fgetc(file) == 'a');
  move = call;
  pthread_t other = start(move_there, NULL);
  int c = fgetc(file);
  finish(other);
  EXPECT(c == 'b' || c == 'a');
  SEE(function, c == 'a' ? "before" : "after");
}

#define SEEKS(function)                                                                                      \
  static int use_##function(void)                                                                            \
  {                                                                                                          \
    return function(file, 0, SEEK_SET);                                                                      \
  }                                                                                                          \
  CASE(function, before_or_after, before, after)                                                             \
  {                                                                                                          \
    move_before_or_after(#function, use_##function);                                                         \
  }

SEEKS(fseek)
SEEKS(fseeko)
SEEKS(fseeko64)

static int rewind_it(void)
{
  rewind(file);
  return 0;
}

static int put_back(void)
{
  return ungetc('a', file) == 'a' ? 0 : -1;
}

CASE(rewind, before_or_after, before, after)
{
  move_before_or_after("rewind", rewind_it);
}

CASE(ungetc, before_or_after, before, after)
{
  move_before_or_after("ungetc", put_back);
}

static void *read_one(void *arg)
{
  EXPECT(fgetc(file) == 'a');
  return arg;
}

/* Another thread reads a character before, between or after the two times that this one asks where it is. */
#define TELLS(function)                                                                                      \
  CASE(function, before_between_or_after, first, between, last)                                              \
  {                                                                                                          \
    open_contents("ab");                                                                                     \
    pthread_t other = start(read_one, NULL);                                                                 \
    long at = (long)function(file), then = (long)function(file);                                             \
    finish(other);                                                                                           \
    EXPECT(at <= then && then <= 1);                                                                         \
    SAW(place[2 - at - then]);                                                                               \
  }

TELLS(ftell)
TELLS(ftello)
TELLS(ftello64)

CASE(fseek, errors, EINVAL)
{
  open_contents("ab");
  FAILS(EINVAL, fseek, file, -5, SEEK_SET);
}

/* ---- what is still in the stream's buffer ---- */

static void write_letter(void)
{
  EXPECT(fputc('x', file) == 'x');
}

CASE(fflush, before_or_after, proceeds, before, after)
{
  open_contents("");
  pthread_t other = start_call(write_letter);
  RETURNS(0, fflush, file);
  SAW(*contents == 'x' ? "after" : "before");
  finish(other);
}

CASE(fclose, of_an_open_stream, proceeds)
{
  open_contents("");
  elsewhere(write_letter);
  RETURNS(0, fclose, file);
  EXPECT(*contents == 'x');
}
