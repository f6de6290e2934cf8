/* SPDX-License-Identifier: Apache-2.0
 *
 * What is in the files of the overlay: each that was written to has a memfd, so that all that can be done with a real
 * descriptor can be done with one of it, and nothing is left when the process is gone. A real file is copied when it is
 * first opened for writing; descriptors that read it already are of the copy from then on.
 */
#include "core/without_libc.h"
#include "worlds/threads/kernel/overlay.h"
#include "worlds/threads/kernel/overlay_tree.h"
#include "worlds/threads/memory/system_memory.h"
#include "worlds/threads/process/processes.h"
#include "worlds/threads/system/descriptors.h"
#include "worlds/threads/system/signals.h"
#include <errno.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#define HELD_FROM 100000 /* numbers that programs hardly come to */
#define SPARES 32
#define HOLDS 8192
#define FETCHED 256

static struct {
  int first, last; /* our descriptors have numbers between these */
} state;

/* Memfds of files of earlier executions, empty. The process with the loop has them, and so has whoever was forked from
 * it: of several processes only one may take each. */
static struct {
  unsigned count;
  struct {
    int fd;
    uint64_t device, number;
  } spare[SPARES];
} pool SYSTEM;

/* Those of the first process that others have done with, to be closed after the execution. */
static int left[HOLDS] SYSTEM;
static uint32_t left_count SYSTEM;

bool descriptor_is_held(long fd)
{
  return state.last && fd >= state.first && fd <= state.last;
}

long descriptor_hold(long fd)
{
  struct rlimit limit, high;
  if (fd < 0)
    return fd;
  long held = sys(SYS_fcntl, fd, F_DUPFD_CLOEXEC, HELD_FROM);
  if (held == -EINVAL && !sys(SYS_prlimit64, 0, RLIMIT_NOFILE, NULL, &limit)) {
    high = (struct rlimit){limit.rlim_max, limit.rlim_max};
    sys(SYS_prlimit64, 0, RLIMIT_NOFILE, &high, NULL);
    long from = high.rlim_max > HELD_FROM + HOLDS ? HELD_FROM : (long)(high.rlim_max / 2);
    held = sys(SYS_fcntl, fd, F_DUPFD_CLOEXEC, from);
    sys(SYS_prlimit64, 0, RLIMIT_NOFILE, &limit, NULL);
  }
  sys(SYS_close, fd);
  if (held >= 0 && (!state.last || held < state.first))
    state.first = (int)held;
  if (held > state.last)
    state.last = (int)held;
  return held;
}

static bool is_file(long fd, uint64_t device, uint64_t number)
{
  struct stat s;
  return !sys(SYS_fstat, fd, &s) && s.st_dev == device && s.st_ino == number;
}

static long new_memory(void)
{
  while (pool.count) {
    unsigned i = --pool.count;
    if (is_file(pool.spare[i].fd, pool.spare[i].device, pool.spare[i].number))
      return pool.spare[i].fd;
  }
  return descriptor_hold(sys(SYS_memfd_create, "heddle", 1L /* MFD_CLOEXEC */));
}

static void link_of(long fd, char out[32])
{
  print_text(out, 32, "/proc/self/fd/%ld", fd);
}

/* ---- other processes ---- */

static bool is_contents(const struct file_node *n, long fd)
{
  return is_file(fd, n->held_device, n->held_number);
}

static int fetched[FETCHED]; /* from others, in no order; those of files that are gone are closed with the process */
static unsigned fetched_count;

static long fetch(const struct file_node *n)
{
  char path[48];
  print_text(path, sizeof path, "/proc/%d/fd/%d", process_kernel_id(n->holder), n->held);
  long fd = descriptor_hold(sys(SYS_open, path, O_RDWR | O_CLOEXEC, 0));
  if (fd < 0 || fetched_count == FETCHED)
    fail(place_in_program(0), "a process of the program cannot open a file that another one made (error %ld)", -fd);
  return fetched[fetched_count++] = (int)fd;
}

int contents_here(const struct file_node *n)
{
  if (rt.engine->processes == 1 || is_contents(n, n->held))
    return n->held;
  for (unsigned i = 0; i < fetched_count; i++)
    if (is_contents(n, fetched[i]))
      return fetched[i];
  return (int)fetch(n);
}

void contents_reset(void)
{
  while (fetched_count)
    sys(SYS_close, fetched[--fetched_count]);
  while (left_count)
    sys(SYS_close, left[--left_count]);
}

void contents_exec(void)
{
  for (long fd = state.first; state.last && fd <= state.last; fd++)
    sys(SYS_fcntl, fd, F_SETFD, 0L); /* what others need must stay */
}

/* ---- contents ---- */

static long copy_real(node_id id, long to)
{
  long from = sys(SYS_open, node_real_path(id), O_RDONLY | O_CLOEXEC), n = from;
  if (from < 0)
    return from;
  sys(SYS_lseek, to, 0L, SEEK_SET); /* another file was copied there before */
  do
    n = sys(SYS_sendfile, to, from, NULL, 1L << 30);
  while (n > 0);
  sys(SYS_close, from);
  return n;
}

/* Descriptors of the real file are of the copy now, where they stood. */
static void switch_descriptors(const struct file_node *n)
{
  struct stat s;
  char path[32];
  link_of(contents_here(n), path);
  if (rt.engine->processes > 1)
    lose(LOST_CALLS); /* those of other processes stay as they are */
  for (long fd = -1; (fd = descriptor_next(fd)) >= 0;) {
    if (sys(SYS_fstat, fd, &s) || s.st_dev != n->device || s.st_ino != n->number)
      continue;
    long flags = sys(SYS_fcntl, fd, F_GETFL), at = sys(SYS_lseek, fd, 0L, SEEK_CUR);
    long copy = sys(SYS_open, path, (flags & ~(O_NOFOLLOW | O_DIRECT)) | O_CLOEXEC);
    if (copy < 0)
      continue;
    sys(SYS_lseek, copy, at, SEEK_SET);
    for (long like = fd; like >= 0; like = descriptor_next(like))
      if (descriptor_description(like) == descriptor_description(fd))
        sys(SYS_dup3, copy, like, sys(SYS_fcntl, like, F_GETFD) & FD_CLOEXEC ? O_CLOEXEC : 0L);
    sys(SYS_close, copy);
  }
}

long contents_make(node_id id, bool copies)
{
  struct file_node *n = node_at(id);
  struct stat s;
  if (n->held >= 0)
    return 0;
  bool file = S_ISREG(n->mode) && n->real;
  long held = new_memory(), result = held < 0 ? held : 0;
  if (!result && file && copies)
    result = copy_real(id, held);
  if (!result)
    result = sys(SYS_fstat, held, &s);
  if (result) {
    sys(SYS_close, held);
    return result;
  }
  n->held = (int)held;
  n->holder = (uint8_t)hd_own.process;
  n->held_device = s.st_dev;
  n->held_number = s.st_ino;
  if (file) {
    n->changed = true;
    tree_note_change();
    switch_descriptors(n);
    if (n->mapped)
      lose(LOST_SHARED); /* the mapping stays as the real file is */
  }
  return 0;
}

long contents_open(node_id id, long flags)
{
  char path[32];
  long result = contents_make(id, true);
  if (result)
    return result;
  link_of(contents_here(node_at(id)), path);
  return sys(SYS_open, path, flags & ~(O_CREAT | O_EXCL | O_TRUNC | O_NOFOLLOW | O_DIRECT | O_DIRECTORY | O_NOATIME));
}

int64_t contents_size(node_id id)
{
  struct stat s;
  const struct file_node *n = node_at(id);
  if (n->held >= 0 && S_ISREG(n->mode))
    return sys(SYS_fstat, contents_here(n), &s) ? 0 : s.st_size;
  if (n->real && S_ISREG(n->mode))
    return sys(SYS_stat, node_real_path(id), &s) ? 0 : s.st_size;
  return n->size;
}

void contents_drop(struct file_node *n)
{
  if (n->held < 0)
    return;
  bool here = is_contents(n, n->held); /* else another process has it, or had */
  if (hd_own.process && !n->holder && left_count < HOLDS)
    left[left_count++] = n->held;
  bool again = here && !hd_own.seat && !n->mapped && !n->attributed && pool.count < SPARES;
  if (again && !sys(SYS_ftruncate, n->held, 0L)) {
    pool.spare[pool.count].fd = n->held;
    pool.spare[pool.count].device = n->held_device;
    pool.spare[pool.count++].number = n->held_number;
  } else if (here) {
    sys(SYS_close, n->held);
  }
  n->held = -1;
}
