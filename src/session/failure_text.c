/* SPDX-License-Identifier: Apache-2.0
 *
 * Words for processes that stand still or died. Opens the program's symbols for it, prints nothing
 * itself. */
#include "session/failure_text.h"
#include "core/calls.h"
#include "debuginfo/symbols.h"
#include "schedule/thread_name.h"
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char *read_maps(pid_t pid)
{
  enum { MOST = 1 << 20 };
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/maps", (int)pid);
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  char *text = fd < 0 ? NULL : malloc(MOST);
  size_t used = 0;
  ssize_t n = 0;
  while (text && used < MOST - 1 && (n = read(fd, text + used, MOST - 1 - used)) > 0)
    used += (size_t)n;
  if (text)
    text[used] = 0;
  if (fd >= 0)
    close(fd);
  return text;
}

static void name_place(const struct target *target, pid_t pid, const struct bug_party *stuck, char *out, size_t n)
{
  char error[256];
  struct symbols *symbols = symbols_open(target->path, error, sizeof error);
  char *maps = read_maps(pid);
  if (symbols && maps)
    symbols_load_maps(symbols, maps);
  symbols_format_place(symbols, stuck->pc, out, n);
  if (!strchr(out, ':')) { /* no line: in the stub of a call, on its way into a hook; the caller has one */
    uint16_t depth = stuck->depth < BUG_STACK ? stuck->depth : BUG_STACK;
    char caller[256] = "";
    for (uint16_t i = 0; i + 1 < depth && !*caller; i++)
      if (stuck->stack[i] == stuck->pc)
        symbols_format_place(symbols, stuck->stack[i + 1], caller, sizeof caller);
    if (strchr(caller, ':'))
      snprintf(out, n, "%s", caller);
  }
  free(maps);
  symbols_close(symbols);
}

void describe_stuck(const struct target *target, const struct control *control, pid_t pid, double grace, char *out,
                    size_t n)
{
  if (!control->stuck_answered) {
    snprintf(out, n,
             "%s makes no progress for %g s in execution %llu and does not answer: it blocks or loops where "
             "heddle cannot see it (raise --grace if it is only slow)",
             target->label, grace, (unsigned long long)control->execution + 1);
    return;
  }
  const struct bug_party *stuck = &control->stuck;
  uint32_t threads = control->threads < MAX_THREADS ? control->threads : MAX_THREADS;
  char name[THREAD_NAME_SIZE], place[256];
  thread_info_name(control->thread, threads, stuck->thread, name, sizeof name);
  name_place(target, pid, stuck, place, sizeof place);
  if (control->stuck_syscall < 0) {
    snprintf(out, n,
             "thread %s is stuck at %s for %g s in a loop without scheduling points; build that code with "
             "heddle cc, call "
             "hd_yield() in the loop, or raise --grace if it is only slow",
             name, place, grace);
    return;
  }
  char number[48];
  const char *call = system_call_name((long)control->stuck_syscall);
  snprintf(number, sizeof number, "the system call %lld", (long long)control->stuck_syscall);
  snprintf(out, n,
           "thread %s is stuck at %s for %g s in %s%s, which heddle does not control; give the program what "
           "it waits "
           "for, or raise --grace if it is only slow",
           name, place, grace, call ? call : number, call ? "()" : "");
}

void describe_standing(const struct target *target, const struct control *control, pid_t pid, char *out, size_t n)
{
  const struct bug_party *stuck = &control->stuck;
  uint32_t threads = control->threads < MAX_THREADS ? control->threads : MAX_THREADS;
  char name[THREAD_NAME_SIZE], place[256];
  thread_info_name(control->thread, threads, stuck->thread, name, sizeof name);
  name_place(target, pid, stuck, place, sizeof place);
  const char *call = control->stuck_syscall < 0 ? NULL : system_call_name((long)control->stuck_syscall);
  snprintf(out, n, "thread %s stands at %s%s%s%s", name, place, call ? ", in " : "", call ? call : "",
           call ? "()" : "");
}

void describe_end(int wait_status, char *out, size_t n)
{
  if (!WIFSIGNALED(wait_status)) {
    snprintf(out, n, "ended with status %d", WEXITSTATUS(wait_status));
    return;
  }
  int number = WTERMSIG(wait_status);
  const char *name = sigabbrev_np(number);
  snprintf(out, n, "killed by %s%s (%s)", name ? "SIG" : "signal ", name ? name : "?", strsignal(number));
}
