/* SPDX-License-Identifier: Apache-2.0
 *
 * Starting a tested program, by vfork, see the header. Between vfork and execve the child shares our memory: it makes
 * system calls and writes one word, nothing else.
 */
#include "session/child.h"
#include "session/limits.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define LOW_DESCRIPTORS 100 /* those of sessions are above (launch.h) */

static bool inherited[LOW_DESCRIPTORS];

void child_note_inherited(void)
{
  for (int fd = 0; fd < LOW_DESCRIPTORS; fd++)
    inherited[fd] = fcntl(fd, F_GETFD) >= 0;
}

void child_keep_own(void)
{
  for (int fd = STDERR_FILENO + 1; fd < LOW_DESCRIPTORS; fd++)
    if (!inherited[fd])
      fcntl(fd, F_SETFD, FD_CLOEXEC);
}

void child_become(const struct child *child, pid_t parent)
{
  static const int usual[] = {SIGPIPE, SIGXFSZ};
  struct rlimit core;
  sigset_t none;
  setsid(); /* a Ctrl-C is for us; and all the program starts can be ended with it */
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent)
    _exit(0);
  if (getrlimit(RLIMIT_CORE, &core) == 0) {
    core.rlim_cur = 0; /* the program may still choose, as it could without us */
    setrlimit(RLIMIT_CORE, &core);
  }
  child_keep_own();
  for (size_t i = 0; i < child->descriptors; i++)
    if (dup2(child->descriptor[i].from, child->descriptor[i].to) < 0)
      return;
  for (size_t i = 0; i < sizeof usual / sizeof usual[0]; i++)
    signal(usual[i], SIG_DFL);
  if (child->folder && chdir(child->folder) != 0)
    return;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  limits_restore(); /* the numbers above may be beyond it: they stay open */
  execve(child->path, child->argv, child->envp);
}

__attribute__((noinline)) pid_t child_spawn(const struct child *child)
{
  sigset_t all, before;
  volatile int failed = 0;
  pid_t parent = getpid();
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, &before); /* no handler of ours may run in the child */
  pid_t pid = vfork();
  if (pid == 0) {
    child_become(child, parent);
    failed = errno;
    _exit(127);
  }
  int error = pid < 0 ? errno : failed;
  sigprocmask(SIG_SETMASK, &before, NULL);
  if (pid > 0 && error) {
    waitpid(pid, NULL, 0);
    pid = -1;
  }
  errno = error;
  return pid;
}

char **child_arguments(const struct target *target)
{
  char **argv = calloc(target->arg_count + 2, sizeof *argv);
  if (!argv)
    return NULL;
  argv[0] = (char *)target->name;
  if (target->arg_count)
    memcpy(argv + 1, target->args, target->arg_count * sizeof *argv);
  return argv;
}
