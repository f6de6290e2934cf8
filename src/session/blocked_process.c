/* SPDX-License-Identifier: Apache-2.0
 *
 * Reading /proc/PID/task; see the header. What cannot be read counts as "goes on".
 */
#include "session/blocked_process.h"
#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

/* A short file of a thread, as text; false if it cannot be read. */
static bool read_of_thread(int tasks, const char *thread, const char *name, char *text, size_t size)
{
  char path[64];
  snprintf(path, sizeof path, "%s/%s", thread, name);
  int fd = openat(tasks, path, O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return false;
  ssize_t n = read(fd, text, size - 1);
  close(fd);
  text[n > 0 ? n : 0] = 0;
  return n > 0;
}

/* "202 0x… operation value timeout …", or "running". */
static bool waits_on_futex(const char *call)
{
  unsigned long number, address, operation, value, timeout;
  if (sscanf(call, "%lu %lx %lx %lx %lx", &number, &address, &operation, &value, &timeout) != 5)
    return false;
  unsigned kind = operation & FUTEX_CMD_MASK;
  bool waits = kind == FUTEX_WAIT || kind == FUTEX_WAIT_BITSET || kind == FUTEX_LOCK_PI || kind == FUTEX_LOCK_PI2 ||
               kind == FUTEX_WAIT_REQUEUE_PI;
  return number == SYS_futex && waits && !timeout;
}

static bool thread_waits(int tasks, const char *thread, uint64_t *progress)
{
  char text[256];
  unsigned long long ran, queued, times;
  if (!read_of_thread(tasks, thread, "schedstat", text, sizeof text) ||
      sscanf(text, "%llu %llu %llu", &ran, &queued, &times) != 3)
    return false;
  *progress += ran + times;
  return read_of_thread(tasks, thread, "syscall", text, sizeof text) && waits_on_futex(text);
}

bool process_is_blocked(pid_t pid, uint64_t *progress)
{
  char path[32];
  snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
  DIR *tasks = opendir(path);
  if (!tasks)
    return false;
  bool all = true, any = false;
  *progress = 0;
  for (struct dirent *entry; all && (entry = readdir(tasks));)
    if (isdigit((unsigned char)entry->d_name[0])) {
      any = true;
      all = thread_waits(dirfd(tasks), entry->d_name, progress);
    }
  closedir(tasks);
  return all && any;
}
