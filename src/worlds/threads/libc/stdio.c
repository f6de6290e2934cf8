/* SPDX-License-Identifier: Apache-2.0
 *
 * Streams of stdio. Calls on one stream exclude each other by its lock, and their order matters: to the search each is
 * an atomic access of the stream. If it takes steps of its own, such as system calls, it ends with another one. In
 * between others wait for it here, for whether they would find libc's own lock free is nothing that the search sees.
 * Not so for standard output and error, which nobody reads back, unless the program has put something else in their
 * place; but for the locks that a program takes itself, which protect what it likes. Of these also what they order is
 * taken note of. Functions without a lock access a second word of the stream as well, and not atomically.
 *
 * What is written to the program's memory is known when the call is over: only then has what it waited for
 * happened. */
#define __NO_INLINE__ /* else <stdio.h> defines some of them itself */
#include "core/without_libc.h"
#include "worlds/threads/libc/announce.h"
#include "worlds/threads/libc/hidden_state.h"
#include "worlds/threads/libc/streams.h"
#include "worlds/threads/system/standard.h"
#include "worlds/threads/system/unsafe_calls.h"
#include <errno.h>
#include <wchar.h>

#define SMALL 4096 /* bytes that are read into memory of ours first */

static struct vclock *clock_of(FILE *file)
{
  return &object_at(file, OBJECT_MEMORY, NULL)->clock;
}

static inline void touches(FILE *file, uintptr_t pc)
{
  hidden_state_stands_at(file);
  memory_access(file, 8, OP_ATOMIC_RMW, __ATOMIC_SEQ_CST, pc);
}

/* ---- the lock ---- */

static struct object *lock_of(const FILE *file)
{
  return object_at(file, OBJECT_FUTEX, NULL);
}

static bool free_for_me(const struct object *lock)
{
  return lock->owner < 0 || lock->owner == (int)self_index();
}

static void take(struct object *lock)
{
  lock->owner = (int)self_index();
  lock->count++;
}

static void enter(FILE *file, uintptr_t pc)
{
  struct object *lock = lock_of(file);
  unsigned me = self_index();
  for (touches(file, pc); !free_for_me(lock); touches(file, pc)) {
    threadset_add(&lock->waiters, me);
    step_on(OP_FUTEX_BLOCK, lock, 0, pc);
    threadset_remove(&lock->waiters, me);
    threadset_remove(&lock->signalled, me);
    performed(0);
  }
  take(lock);
}

/* Those who wait try again. Who they are was settled when the lock became free. */
static void release(struct object *lock, uintptr_t pc)
{
  if (--lock->count)
    return;
  lock->owner = -1;
  struct threadset asleep = lock->waiters;
  if (!threadset_count(&asleep))
    return;
  step_on(OP_FUTEX_WAKE, lock, 0, pc);
  THREADSET_EACH(t, &asleep)
  {
    if (threadset_has(&lock->waiters, t))
      threadset_add(&lock->signalled, t);
  }
  engine_touch(rt.engine);
  performed(0);
}

EXPORT void flockfile(FILE *file)
{
  if (hd_self)
    enter(file, CALLER());
  REAL(flockfile)(file);
  if (hd_self)
    acquire_from(clock_of(file));
}

EXPORT int ftrylockfile(FILE *file)
{
  if (hd_self)
    touches(file, CALLER());
  if (hd_self && !free_for_me(lock_of(file)))
    return EBUSY;
  int result = REAL(ftrylockfile)(file);
  if (hd_self && !result) {
    take(lock_of(file));
    acquire_from(clock_of(file));
  }
  return result;
}

EXPORT void funlockfile(FILE *file)
{
  if (hd_self) {
    touches(file, CALLER());
    release_to(clock_of(file));
  }
  REAL(funlockfile)(file);
  if (hd_self && lock_of(file)->owner == (int)self_index())
    release(lock_of(file), CALLER());
}

/* ---- calls on a stream ---- */

/* Standard output or error as they were given to the program. */
static bool nobody_reads_back(FILE *file)
{
  if (file != stdout && file != stderr)
    return false;
  int fd = fileno_unlocked(file);
  return (fd == 1 || fd == 2) && descriptor_is_standard(fd);
}

/* The execution in which threads used standard output, and nobody took note; 0: none. */
static uint64_t unnoted_in;

static bool matters(FILE *file)
{
  if (!file)
    return false;
  uint64_t now = rt.control->execution + 1;
  if (nobody_reads_back(file)) {
    if (rt.engine->threads > 1)
      unnoted_in = now;
    return false;
  }
  if (unnoted_in == now && (file == stdout || file == stderr))
    lose(LOST_CALLS); /* something else was put in its place too late */
  return true;
}

struct stream_use stream_used_by(FILE *file, const char *function, uintptr_t pc)
{
  unsafe_call(UNSAFE_STREAM, (uintptr_t)file, function + sizeof "libc_" - 1, pc);
  if (!matters(file))
    return (struct stream_use){0};
  uintptr_t place = in_program(pc) ? pc : place_in_program(pc);
  enter(file, place);
  return (struct stream_use){file, place, hd_self->operations};
}

void stream_left(struct stream_use *use)
{
  if (!use->file)
    return;
  struct object *lock = lock_of(use->file);
  if (lock->count == 1 && hd_self->operations != use->operations)
    touches(use->file, use->pc);
  release(lock, use->pc);
  use->file = NULL;
}

struct stream_use stream_used_unlocked(FILE *file, uintptr_t pc)
{
  if (matters(file)) {
    touches(file, pc);
    memory_access((char *)file + 8, 8, OP_WRITE, 0, pc);
  }
  return (struct stream_use){0};
}

/* ---- streams that are memory of the program ---- */

#define STREAMS 64

/* Where the stream keeps address and size of what was written to it. */
static struct memory_stream {
  FILE *file;
  void **text;
  size_t *size;
  size_t unit;
  uint64_t execution; /* counted from 1; others are over */
} memory_streams[STREAMS];

static void add_memory_stream(FILE *file, void **text, size_t *size, size_t unit)
{
  uint64_t now = rt.control->execution + 1;
  for (unsigned i = 0; i < STREAMS; i++)
    if (memory_streams[i].execution != now || memory_streams[i].file == file) {
      memory_streams[i] = (struct memory_stream){file, text, size, unit, now};
      return;
    }
  lose(LOST_CALLS);
}

static struct memory_stream *memory_stream_of(FILE *file)
{
  for (unsigned i = 0; i < STREAMS && file; i++)
    if (memory_streams[i].file == file && memory_streams[i].execution == rt.control->execution + 1)
      return &memory_streams[i];
  return NULL;
}

/* It is about to bring address and size up to date. */
static void announce_update(FILE *file, uintptr_t pc)
{
  const struct memory_stream *m = memory_stream_of(file);
  if (!m)
    return;
  writes(m->text, sizeof *m->text, pc);
  writes(m->size, sizeof *m->size, pc);
}

SHADOW(FILE *, open_memstream, (char **text, size_t *size));
EXPORT FILE *libc_open_memstream(char **text, size_t *size)
{
  FILE *file = LIBC(open_memstream)(text, size);
  if (file && hooked(CALLER()))
    add_memory_stream(file, (void **)text, size, sizeof **text);
  return file;
}

SHADOW(FILE *, open_wmemstream, (wchar_t * *text, size_t *size));
EXPORT FILE *libc_open_wmemstream(wchar_t **text, size_t *size)
{
  FILE *file = LIBC(open_wmemstream)(text, size);
  if (file && hooked(CALLER()))
    add_memory_stream(file, (void **)text, size, sizeof **text);
  return file;
}

/* ---- the functions ---- */

/* Libraries too may use a stream for the program, as C++ does; but what they do with memory is their own affair. */
#define USES(type, name, parameters, arguments, file, ...)                                                             \
  SHADOW(type, name, parameters);                                                                                      \
  EXPORT type libc_##name parameters                                                                                   \
  {                                                                                                                    \
    uintptr_t pc = CALLER();                                                                                           \
    STREAM_USE use = {0};                                                                                              \
    if (unlikely(hd_self != NULL)) {                                                                                   \
      if (in_program(pc)) {                                                                                            \
        __VA_ARGS__;                                                                                                   \
      }                                                                                                                \
      use = stream_used(file, pc);                                                                                     \
    }                                                                                                                  \
    return LIBC(name) arguments;                                                                                       \
  }

#define USES_UNLOCKED(type, name, parameters, arguments, file, ...)                                                    \
  SHADOWS(type, name, parameters, arguments, stream_used_unlocked(file, pc); __VA_ARGS__)

USES(int, fputc, (int c, FILE *file), (c, file), file)
USES(int, putc, (int c, FILE *file), (c, file), file)
USES(int, _IO_putc, (int c, FILE *file), (c, file), file)
USES(int, putchar, (int c), (c), stdout)
USES(int, putw, (int c, FILE *file), (c, file), file)
USES(int, fputs, (const char *text, FILE *file), (text, file), file, reads_text(text, UNBOUNDED, 1, pc))
USES(int, puts, (const char *text), (text), stdout, reads_text(text, UNBOUNDED, 1, pc))
USES(void, perror, (const char *text), (text), stderr, if (text) reads_text(text, UNBOUNDED, 1, pc))
USES(size_t, fwrite, (const void *from, size_t size, size_t n, FILE *file), (from, size, n, file), file,
     reads(from, size *n, pc))
USES(int, fgetc, (FILE * file), (file), file)
USES(int, getc, (FILE * file), (file), file)
USES(int, _IO_getc, (FILE * file), (file), file)
USES(int, getchar, (void), (), stdin)
USES(int, getw, (FILE * file), (file), file)
USES(int, ungetc, (int c, FILE *file), (c, file), file)
USES(wint_t, fputwc, (wchar_t c, FILE *file), (c, file), file)
USES(wint_t, putwc, (wchar_t c, FILE *file), (c, file), file)
USES(wint_t, putwchar, (wchar_t c), (c), stdout)
USES(int, fputws, (const wchar_t *text, FILE *file), (text, file), file, reads_text(text, UNBOUNDED, sizeof *text, pc))
USES(wint_t, fgetwc, (FILE * file), (file), file)
USES(wint_t, getwc, (FILE * file), (file), file)
USES(wint_t, getwchar, (void), (), stdin)
USES(wint_t, ungetwc, (wint_t c, FILE *file), (c, file), file)
USES(int, fseek, (FILE * file, long offset, int from), (file, offset, from), file, announce_update(file, pc))
USES(int, fseeko, (FILE * file, off_t offset, int from), (file, offset, from), file, announce_update(file, pc))
USES(int, fseeko64, (FILE * file, off64_t offset, int from), (file, offset, from), file, announce_update(file, pc))
USES(void, rewind, (FILE * file), (file), file, announce_update(file, pc))
USES(long, ftell, (FILE * file), (file), file)
USES(off_t, ftello, (FILE * file), (file), file)
USES(off64_t, ftello64, (FILE * file), (file), file)
USES(int, fgetpos, (FILE * file, fpos_t *at), (file, at), file, writes(at, sizeof *at, pc))
USES(int, fsetpos, (FILE * file, const fpos_t *at), (file, at), file, reads(at, sizeof *at, pc))
USES(int, feof, (FILE * file), (file), file)
USES(int, ferror, (FILE * file), (file), file)
USES(void, clearerr, (FILE * file), (file), file)
USES(int, fflush, (FILE * file), (file), file, announce_update(file, pc))
USES(FILE *, freopen, (const char *path, const char *mode, FILE *file), (path, mode, file), file)
USES(FILE *, freopen64, (const char *path, const char *mode, FILE *file), (path, mode, file), file)
USES(int, setvbuf, (FILE * file, char *buffer, int mode, size_t size), (file, buffer, mode, size), file)
USES(void, setbuf, (FILE * file, char *buffer), (file, buffer), file)

/* What it was is gone afterwards, and nobody may use it meanwhile. */
SHADOW(int, fclose, (FILE * file));
EXPORT int libc_fclose(FILE *file)
{
  uintptr_t pc = CALLER();
  if (unlikely(hd_self != NULL)) {
    if (in_program(pc))
      announce_update(file, pc);
    STREAM_USE use = stream_used(file, pc);
  }
  return LIBC(fclose)(file);
}

USES_UNLOCKED(int, fputc_unlocked, (int c, FILE *file), (c, file), file)
USES_UNLOCKED(int, putc_unlocked, (int c, FILE *file), (c, file), file)
USES_UNLOCKED(int, putchar_unlocked, (int c), (c), stdout)
USES_UNLOCKED(int, fputs_unlocked, (const char *text, FILE *file), (text, file), file,
              reads_text(text, UNBOUNDED, 1, pc))
USES_UNLOCKED(size_t, fwrite_unlocked, (const void *from, size_t size, size_t n, FILE *file), (from, size, n, file),
              file, reads(from, size *n, pc))
USES_UNLOCKED(int, fgetc_unlocked, (FILE * file), (file), file)
USES_UNLOCKED(int, getc_unlocked, (FILE * file), (file), file)
USES_UNLOCKED(int, getchar_unlocked, (void), (), stdin)
USES_UNLOCKED(int, feof_unlocked, (FILE * file), (file), file)
USES_UNLOCKED(int, ferror_unlocked, (FILE * file), (file), file)
USES_UNLOCKED(void, clearerr_unlocked, (FILE * file), (file), file)
USES_UNLOCKED(int, fflush_unlocked, (FILE * file), (file), file, announce_update(file, pc))

/* ---- reading into memory ---- */

/* A small block comes by way of memory of ours, so that it is written at its own step. */
#define READS_BLOCK(name, used, parameters, arguments, own_arguments)                                                  \
  SHADOW(size_t, name, parameters);                                                                                    \
  EXPORT size_t libc_##name parameters                                                                                 \
  {                                                                                                                    \
    uintptr_t pc = CALLER();                                                                                           \
    char own[SMALL];                                                                                                   \
    STREAM_USE use = {0};                                                                                              \
    if (hd_self)                                                                                                       \
      use = used(file, pc);                                                                                            \
    if (!hooked(pc))                                                                                                   \
      return LIBC(name) arguments;                                                                                     \
    bool small = size < SMALL && n < SMALL && size * n <= SMALL;                                                       \
    size_t result = small ? LIBC(name) own_arguments : LIBC(name) arguments;                                           \
    stream_left(&use);                                                                                                 \
    writes(to, result *size, pc);                                                                                      \
    if (small)                                                                                                         \
      copy_bytes(to, own, result *size);                                                                               \
    return result;                                                                                                     \
  }
READS_BLOCK(fread, stream_used, (void *to, size_t size, size_t n, FILE *file), (to, size, n, file),
            (own, size, n, file))
READS_BLOCK(fread_unlocked, stream_used_unlocked, (void *to, size_t size, size_t n, FILE *file), (to, size, n, file),
            (own, size, n, file))
READS_BLOCK(__fread_chk, stream_used, (void *to, size_t room, size_t size, size_t n, FILE *file),
            (to, room, size, n, file), (own, room, size, n, file))
READS_BLOCK(__fread_unlocked_chk, stream_used_unlocked, (void *to, size_t room, size_t size, size_t n, FILE *file),
            (to, room, size, n, file), (own, room, size, n, file))

#define READS_LINE(T, name, used, parameters, arguments, own_arguments)                                                \
  SHADOW(T *, name, parameters);                                                                                       \
  EXPORT T *libc_##name parameters                                                                                     \
  {                                                                                                                    \
    uintptr_t pc = CALLER();                                                                                           \
    T own[SMALL / sizeof(T)];                                                                                          \
    STREAM_USE use = {0};                                                                                              \
    if (hd_self)                                                                                                       \
      use = used(file, pc);                                                                                            \
    if (!hooked(pc))                                                                                                   \
      return LIBC(name) arguments;                                                                                     \
    bool small = size > 0 && (size_t)size <= sizeof own / sizeof *own;                                                 \
    T *line = small ? LIBC(name) own_arguments : LIBC(name) arguments;                                                 \
    stream_left(&use);                                                                                                 \
    if (!line)                                                                                                         \
      return NULL;                                                                                                     \
    size_t bytes = text_bytes(line, UNBOUNDED, sizeof *line);                                                          \
    writes(to, bytes, pc);                                                                                             \
    if (small)                                                                                                         \
      copy_bytes(to, own, bytes);                                                                                      \
    return to;                                                                                                         \
  }
READS_LINE(char, fgets, stream_used, (char *to, int size, FILE *file), (to, size, file), (own, size, file))
READS_LINE(char, fgets_unlocked, stream_used_unlocked, (char *to, int size, FILE *file), (to, size, file),
           (own, size, file))
READS_LINE(char, __fgets_chk, stream_used, (char *to, size_t room, int size, FILE *file), (to, room, size, file),
           (own, room, size, file))
READS_LINE(char, __fgets_unlocked_chk, stream_used_unlocked, (char *to, size_t room, int size, FILE *file),
           (to, room, size, file), (own, room, size, file))
READS_LINE(wchar_t, fgetws, stream_used, (wchar_t * to, int size, FILE *file), (to, size, file), (own, size, file))
READS_LINE(wchar_t, __fgetws_chk, stream_used, (wchar_t * to, size_t room, int size, FILE *file),
           (to, room, size, file), (own, room, size, file))

/* A line of any length, in memory that grows. */
#define READS_ANY_LINE(name, parameters, arguments)                                                                    \
  SHADOW(ssize_t, name, parameters);                                                                                   \
  EXPORT ssize_t libc_##name parameters                                                                                \
  {                                                                                                                    \
    uintptr_t pc = CALLER();                                                                                           \
    STREAM_USE use = {0};                                                                                              \
    if (hooked(pc)) {                                                                                                  \
      reads(line, sizeof *line, pc);                                                                                   \
      reads(size, sizeof *size, pc);                                                                                   \
    }                                                                                                                  \
    if (hd_self)                                                                                                       \
      use = stream_used(file, pc);                                                                                     \
    if (!hooked(pc))                                                                                                   \
      return LIBC(name) arguments;                                                                                     \
    const char *before = *line;                                                                                        \
    ssize_t n = LIBC(name) arguments;                                                                                  \
    stream_left(&use);                                                                                                 \
    if (*line != before) {                                                                                             \
      writes(line, sizeof *line, pc);                                                                                  \
      writes(size, sizeof *size, pc);                                                                                  \
    }                                                                                                                  \
    if (n >= 0)                                                                                                        \
      writes(*line, (size_t)n + 1, pc);                                                                                \
    return n;                                                                                                          \
  }
READS_ANY_LINE(getline, (char **line, size_t *size, FILE *file), (line, size, file))
READS_ANY_LINE(getdelim, (char **line, size_t *size, int end, FILE *file), (line, size, end, file))
READS_ANY_LINE(__getdelim, (char **line, size_t *size, int end, FILE *file), (line, size, end, file))
