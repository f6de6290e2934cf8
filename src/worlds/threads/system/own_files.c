/* SPDX-License-Identifier: Apache-2.0
 *
 * What the kernel says of files where it would give away that heddle is there: /proc names the process and its threads
 * by the numbers they have to the program, and what came or changed since heddle began has a date in virtual time.
 * Opens nothing (opening.c).
 */
#include "worlds/threads/system/own_files.h"
#include "core/without_libc.h"
#include "worlds/threads/memory/snapshot.h"
#include "worlds/threads/process/processes.h"
#include "worlds/threads/system/standard.h"
#include "worlds/threads/system/time.h"
#include "worlds/threads/thread/thread.h"
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

/* What follows the beginning of a path; NULL: it has another. */
static const char *after(const char *path, const char *beginning)
{
  while (*beginning && *path == *beginning)
    path++, beginning++;
  return *beginning || (*path && *path != '/') ? NULL : path;
}

/* /proc/PID of any of the program's processes; false: it is about none. */
static bool print_file_of_process(const char *path, char *out, size_t size)
{
  for (unsigned p = 0; p < rt.engine->processes; p++) {
    char its[32];
    print_text(its, sizeof its, "/proc/%d", process_id(p));
    const char *rest = rt.process[p].exists ? after(path, its) : NULL;
    if (rest && p == hd_own.process)
      print_text(out, size, "/proc/self%s", rest);
    else if (rest)
      print_text(out, size, "/proc/%d%s", process_kernel_id(p), rest);
    if (rest)
      return true;
  }
  return false;
}

/* /proc/PID, /proc/self/task/TID and /proc/thread-self, with the numbers that processes and threads have to the
 * program. */
static void print_own_file(const char *path, char *out, size_t size)
{
  const char *of_task = after(path, "/proc/self/task"), *of_thread = after(path, "/proc/thread-self");
  *out = '\0';
  bool rest = !of_thread && print_file_of_process(path, out, size);
  if (of_thread && *of_thread)
    print_text(out, size, "/proc/self/task/%d%s", self_thread()->fiber->tid, of_thread);
  else if (!rest && (!of_task || *of_task != '/'))
    return;
  of_task = after(rest ? out : path, "/proc/self/task");
  for (unsigned t = 0; of_task && *of_task == '/' && t < rt.engine->threads; t++) {
    char task[32], left[200];
    print_text(task, sizeof task, "/%d", VIRTUAL_PID + (int)t);
    const char *in_task = after(of_task, task);
    bool own = rt.thread[t].process == hd_own.process;
    if (!in_task || !own || rt.thread[t].finished || rt.thread[t].system)
      continue;
    print_text(left, sizeof left, "%s", in_task);
    print_text(out, size, "/proc/self/task/%d%s", rt.thread[t].fiber->tid, left);
    return;
  }
}

void name_own_files(struct call *c, char out[OWN_PATH])
{
  static const short at_first[] = {SYS_open, SYS_stat, SYS_lstat, SYS_access, SYS_readlink, SYS_statfs};
  static const short at_second[] = {SYS_openat,     SYS_newfstatat, SYS_faccessat,
                                    SYS_faccessat2, SYS_readlinkat, SYS_statx};
  bool first = LISTED(c->number, at_first);
  const char *path = (const char *)c->arg[!first];
  if ((!first && !LISTED(c->number, at_second)) || (uintptr_t)path < 4096)
    return;
  print_own_file(path, out, OWN_PATH);
  if (*out)
    c->arg[!first] = (long)out;
}

long read_own_number(const struct call *c)
{
  bool at = c->number == SYS_readlinkat;
  const char *path = (const char *)c->arg[at];
  if (!at && c->number != SYS_readlink)
    return UNKNOWN;
  char text[40];
  size_t n, room = (size_t)c->arg[at + 2];
  if (!text_compare(path, "/proc/self"))
    n = print_text(text, sizeof text, "%d", process_id(hd_own.process));
  else if (!text_compare(path, "/proc/thread-self"))
    n = print_text(text, sizeof text, "%d/task/%d", process_id(hd_own.process), VIRTUAL_PID + (int)self_index());
  else
    return UNKNOWN;
  n = n < room ? n : room;
  snapshot_touch((uintptr_t)c->arg[at + 1], n);
  copy_bytes((void *)c->arg[at + 1], text, n);
  return (long)n;
}

static int64_t real_now(void)
{
  struct timespec now;
  sys(SYS_clock_gettime, CLOCK_REALTIME, &now);
  return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

/* Files that came or changed since heddle began did so in virtual time; so did those heddle made for the program. A
 * date that is still to come was given to the file by the program. */
static bool has_virtual_date(bool own, int64_t seconds, int64_t nanoseconds)
{
  int64_t at = seconds * INT64_C(1000000000) + nanoseconds;
  return own || (at >= rt.control->config.began && at <= real_now());
}

void date_stat(struct stat *s, bool own)
{
  struct timespec *times[] = {&s->st_atim, &s->st_mtim, &s->st_ctim};
  for (int i = 0; i < 3; i++)
    if (has_virtual_date(own, times[i]->tv_sec, times[i]->tv_nsec))
      *times[i] = virtual_now(CLOCK_REALTIME);
}

static void date_statx(struct statx *s, bool own)
{
  struct statx_timestamp *times[] = {&s->stx_atime, &s->stx_btime, &s->stx_ctime, &s->stx_mtime};
  struct timespec now = virtual_now(CLOCK_REALTIME);
  for (int i = 0; i < 4; i++)
    if (has_virtual_date(own, times[i]->tv_sec, times[i]->tv_nsec)) {
      times[i]->tv_sec = now.tv_sec;
      times[i]->tv_nsec = (uint32_t)now.tv_nsec;
    }
}

long stat_call(const struct call *c)
{
  long result = perform(c);
  if (result != 0)
    return result;
  bool at = c->number == SYS_newfstatat, x = c->number == SYS_statx;
  bool by_descriptor = c->number == SYS_fstat || ((at || x) && c->arg[x ? 2 : 3] & AT_EMPTY_PATH);
  bool own = by_descriptor && descriptor_is_standard((int)c->arg[0]);
  if (x)
    date_statx((struct statx *)c->arg[4], own);
  else
    date_stat((struct stat *)c->arg[1 + at], own);
  return 0;
}
