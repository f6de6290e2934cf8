/* SPDX-License-Identifier: Apache-2.0
 *
 * What programs leave behind: processes that they started and that left their sessions.
 */
#include "session/orphans.h"
#include "session/deadline.h"
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static bool adopting;

static FILE *open_children(void)
{
  char path[64];
  snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
  return fopen(path, "re");
}

/* Processes that the program started and that left its session come to us when their parents end. Not if we were
 * started with children already, as by a shell's exec: those are not ours to end. */
void adopt_orphans(void)
{
  static bool tried;
  FILE *children = tried ? NULL : open_children();
  tried = true;
  int pid;
  if (children && fscanf(children, "%d", &pid) != 1)
    adopting = prctl(PR_SET_CHILD_SUBREAPER, 1L, 0L, 0L, 0L) == 0;
  if (children)
    fclose(children);
}

/* When no worker runs, all our children are such. They may have children in turn, which come to us next. */
void end_orphans(void)
{
  bool any = adopting;
  for (int round = 0; any && round < 200; round++) {
    FILE *children = open_children();
    int pid;
    any = false;
    while (children && fscanf(children, "%d", &pid) == 1) {
      any = true;
      kill(pid, SIGKILL);
    }
    if (children)
      fclose(children);
    if (any)
      usleep(1000);
    while (waitpid(-1, NULL, WNOHANG) > 0)
      ;
  }
}
