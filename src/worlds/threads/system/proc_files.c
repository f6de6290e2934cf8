/* SPDX-License-Identifier: Apache-2.0
 *
 * What /proc says of the processes and their threads: the kernel's text, with the threads that the program has, by the
 * numbers and names they have to it, and whether they wait. Which file is meant by a path of the program's is
 * own_files.c's.
 */
#include "worlds/threads/system/proc_files.h"
#include "core/without_libc.h"
#include "worlds/threads/memory/snapshot.h"
#include "worlds/threads/process/processes.h"
#include "worlds/threads/system/descriptors.h"
#include "worlds/threads/system/own_files.h"
#include "worlds/threads/system/own_numbers.h"
#include "worlds/threads/system/punctual.h"
#include "worlds/threads/thread/thread.h"
#include <dirent.h>
#include <errno.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#define TEXT_MOST 4096

struct text {
  char at[TEXT_MOST];
  size_t length;
};

static bool is_there(unsigned t)
{
  return !rt.thread[t].finished && !rt.thread[t].system;
}

static long count_threads(unsigned process)
{
  long n = 0;
  for (unsigned t = 0; t < rt.engine->threads; t++)
    n += is_there(t) && rt.thread[t].process == process;
  return n;
}

static char state_of(unsigned t)
{
  const struct thread_state *thread = &rt.engine->thread[t];
  if (rt.process[rt.thread[t].process].ended)
    return 'Z';
  if (t == self_index() || !thread->alive || !world_waits(t, &thread->pending))
    return 'R';
  seen_to_wait(t);
  return 'S';
}

static void add(struct text *out, const char *from, size_t n)
{
  n = n < TEXT_MOST - out->length ? n : TEXT_MOST - out->length;
  copy_bytes(out->at + out->length, from, n);
  out->length += n;
}

static void add_number(struct text *out, long number, char end)
{
  char digits[24];
  add(out, digits, print_text(digits, sizeof digits, "%ld%c", number, end));
}

static long parent_id(unsigned process)
{
  unsigned parent = rt.process[process].parent;
  return process ? process_id(parent) : VIRTUAL_PID - 1;
}

/* ---- status: lines of a key and a value ---- */

static bool begins(const char *text, const char *with)
{
  while (*with && *text == *with)
    text++, with++;
  return !*with;
}

static void add_mask(struct text *out, uint64_t mask)
{
  char digits[17];
  for (int i = 0; i < 16; i++)
    digits[i] = "0123456789abcdef"[mask >> (60 - 4 * i) & 15];
  digits[16] = '\n';
  add(out, digits, sizeof digits);
}

/* The value that stands in place of the kernel's; false: that one is right. */
static bool add_value(struct text *out, const char *key, unsigned t)
{
  unsigned process = rt.thread[t].process;
  const struct {
    const char *key;
    long value;
  } numbers[] = {{"Tgid:", process_id(process)},
                 {"Pid:", VIRTUAL_PID + (long)t},
                 {"PPid:", parent_id(process)},
                 {"NStgid:", process_id(process)},
                 {"NSpid:", VIRTUAL_PID + (long)t},
                 {"NSpgid:", rt.process[process].group},
                 {"NSsid:", rt.process[process].session_id},
                 {"Threads:", count_threads(process)},
                 {"NoNewPrivs:", 0},
                 {"Seccomp:", 0},
                 {"Seccomp_filters:", 0}};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    if (begins(key, numbers[i].key)) {
      add_number(out, numbers[i].value, '\n');
      return true;
    }
  if (begins(key, "State:")) {
    char state = state_of(t);
    add(out, &state, 1);
    const char *word = state == 'S' ? " (sleeping)\n" : state == 'Z' ? " (zombie)\n" : " (running)\n";
    add(out, word, text_length(word));
  } else if (begins(key, "SigBlk:"))
    add_mask(out, rt.thread[t].signal_mask);
  else if (begins(key, "Name:")) {
    add(out, thread_name_of(t), text_length(thread_name_of(t)));
    add(out, "\n", 1);
  } else
    return false;
  return true;
}

static void make_status(struct text *out, const char *from, unsigned t)
{
  while (*from) {
    const char *value = from, *end;
    while (*value && *value != '\t' && *value != '\n')
      value++;
    for (end = value; *end && *end != '\n';)
      end++;
    end += *end == '\n';
    value += *value == '\t';
    add(out, from, (size_t)(value - from));
    if (!add_value(out, from, t))
      add(out, value, (size_t)(end - value));
    from = end;
  }
}

/* ---- stat: numbers in a row, the second one a name in brackets ---- */

#define STAT_THREADS 20 /* the number of the field */

static const char *after_name(const char *from)
{
  const char *found = from;
  for (; *from; from++)
    found = *from == ')' ? from + 1 : found;
  return found + (*found == ' ');
}

static void make_stat(struct text *out, const char *from, unsigned t)
{
  unsigned process = rt.thread[t].process;
  const long first[] = {parent_id(process), rt.process[process].group,
                        rt.process[process].session_id}; /* from the fourth field on */
  add_number(out, VIRTUAL_PID + (long)t, ' ');
  add(out, "(", 1);
  add(out, thread_name_of(t), text_length(thread_name_of(t)));
  add(out, ") ", 2);
  from = after_name(from);
  for (unsigned field = 3; *from; field++) {
    const char *end = from;
    while (*end && *end != ' ')
      end++;
    end += *end == ' ';
    const char state[] = {state_of(t), ' '};
    if (field == 3)
      add(out, state, sizeof state);
    else if (field >= 4 && field < 7)
      add_number(out, first[field - 4], ' ');
    else if (field == STAT_THREADS)
      add_number(out, count_threads(process), ' ');
    else
      add(out, from, (size_t)(end - from));
    from = end;
  }
}

static void make_comm(struct text *out, const char *from, unsigned t)
{
  (void)from;
  add(out, thread_name_of(t), text_length(thread_name_of(t)));
  add(out, "\n", 1);
}

/* ---- opening them ---- */

typedef void maker(struct text *out, const char *from, unsigned thread);

static maker *maker_of(const char *name)
{
  static const struct {
    const char *name;
    maker *make;
  } files[] = {{"/status", make_status}, {"/stat", make_stat}, {"/comm", make_comm}};
  for (size_t i = 0; i < sizeof files / sizeof *files; i++)
    if (!text_compare(name, files[i].name))
      return files[i].make;
  return NULL;
}

static long number_in(const char *path, const char **rest)
{
  long number = 0;
  for (; *path >= '0' && *path <= '9'; path++)
    number = number * 10 + (*path - '0');
  *rest = path;
  return number;
}

/* Which thread a path is about, by the kernel's number of it or as the first of its process; what follows is left in
 * rest. */
static int thread_in(const char *path, const char **rest)
{
  const char task[] = "/proc/self/task/", self[] = "/proc/self", any[] = "/proc/";
  if (begins(path, task))
    return thread_of_number(number_in(path + sizeof task - 1, rest));
  if (begins(path, self)) {
    *rest = path + sizeof self - 1;
    return rt.process[hd_own.process].first;
  }
  if (!begins(path, any))
    return NO_THREAD;
  unsigned process = process_of_id(process_id_of_kernel((int)number_in(path + sizeof any - 1, rest)));
  return process == PROCESSES ? NO_THREAD : rt.process[process].first;
}

static long open_file(const struct call *c)
{
  bool at = c->number == SYS_openat;
  const char *path = (const char *)c->arg[at], *rest;
  if ((uintptr_t)path < 4096 || (c->arg[at + 1] & O_ACCMODE) != O_RDONLY)
    return UNKNOWN;
  int thread = thread_in(path, &rest);
  maker *make = thread == NO_THREAD ? NULL : maker_of(rest);
  long real = make ? sys(SYS_open, path, O_RDONLY | O_CLOEXEC, 0) : -1;
  if (real < 0)
    return UNKNOWN;
  char from[TEXT_MOST];
  struct text text = {.length = 0};
  long n = sys(SYS_read, real, from, sizeof from - 1);
  sys(SYS_close, real);
  from[n > 0 ? n : 0] = '\0';
  make(&text, from, (unsigned)thread);
  lose(LOST_MACHINE);
  long fd = sys(SYS_memfd_create, "proc", c->arg[at + 1] & O_CLOEXEC ? 1L : 0L);
  sys(SYS_write, fd, text.at, text.length);
  sys(SYS_lseek, fd, 0L, SEEK_SET);
  return descriptor_opened(fd);
}

/* ---- the folder of threads ---- */

static bool is_folder_of_threads(long fd)
{
  char link[48], target[48], own[48];
  print_text(link, sizeof link, "/proc/self/fd/%ld", fd);
  print_text(own, sizeof own, "/proc/%ld/task", sys(SYS_getpid));
  long n = sys(SYS_readlink, link, target, sizeof target - 1);
  target[n > 0 ? n : 0] = '\0';
  return !text_compare(target, own);
}

/* The n-th entry: itself, the folder above, then the threads. False: there are not so many. */
static bool entry_name(long n, char *out, size_t size)
{
  if (n < 2)
    return print_text(out, size, n ? ".." : ".");
  for (unsigned t = 0; t < rt.engine->threads; t++)
    if (is_there(t) && rt.thread[t].process == hd_own.process && n-- == 2)
      return print_text(out, size, "%ld", VIRTUAL_PID + (long)t);
  return false;
}

/* How far it was read is kept where the kernel has it, so that rewinding and seeking are its business. */
static long list_threads(const struct call *c)
{
  long fd = c->arg[0], at = sys(SYS_lseek, fd, 0L, SEEK_CUR);
  char *to = (char *)c->arg[1], name[24];
  size_t room = (size_t)c->arg[2], used = 0;
  for (; entry_name(at, name, sizeof name); at++) {
    size_t length = (offsetof(struct dirent64, d_name) + text_length(name) + 1 + 7) & ~(size_t)7;
    if (used + length > room)
      break;
    snapshot_touch((uintptr_t)to + used, length);
    struct dirent64 *entry = (struct dirent64 *)(to + used);
    fill_bytes(entry, 0, length);
    entry->d_ino = (ino64_t)(at + 1);
    entry->d_off = at + 1;
    entry->d_reclen = (unsigned short)length;
    entry->d_type = DT_DIR;
    print_text(entry->d_name, length - offsetof(struct dirent64, d_name), "%s", name);
    used += length;
  }
  sys(SYS_lseek, fd, at, SEEK_SET);
  return used || !entry_name(at, name, sizeof name) ? (long)used : -EINVAL;
}

long proc_file_call(const struct call *c)
{
  if (c->number == SYS_open || c->number == SYS_openat)
    return open_file(c);
  return c->number == SYS_getdents64 && is_folder_of_threads(c->arg[0]) ? list_threads(c) : UNKNOWN;
}
