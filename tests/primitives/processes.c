/* SPDX-License-Identifier: Apache-2.0
 *
 * Processes: how they begin, go on as another program, end and are waited for; their groups and their descriptors.
 * Each execution is some processes of the kernel's, so that there are fewer of them than of other cases.
 */
#include "case.h"
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>

#define FEW "--runs 30"

extern char **environ;

static _Noreturn void end(int status)
{
  _exit(status);
}

static pid_t child_with(int status)
{
  pid_t child = fork();
  EXPECT(child >= 0);
  if (!child)
    end(status);
  return child;
}

static void reap(pid_t child, int status)
{
  int got = -1;
  EXPECT(waitpid(child, &got, 0) == child && WIFEXITED(got) && WEXITSTATUS(got) == status);
}

/* ---- they begin ---- */

CASE_WITH(FEW, fork, both_go_on, proceeds, child_first, parent_first)
{
  int *first = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0), none = 0;
  pid_t child = fork();
  EXPECT(child >= 0);
  if (__atomic_compare_exchange_n(first, &none, 1, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
    SAW(child ? "parent_first" : "child_first");
  if (!child)
    end(3);
  SAW("proceeds");
  reap(child, 3);
}

static const char *const yes[] = {"true", NULL}, *const no[] = {"false", NULL};

/* The parent waits until it is told that there is no such program. */
CASE_WITH(FEW, posix_spawn, by_path, proceeds, ENOENT)
{
  pid_t child;
  RETURNS(0, posix_spawn, &child, "/bin/false", NULL, NULL, (char **)no, environ);
  reap(child, 1);
  RETURNS(ENOENT, posix_spawn, &child, "/bin/no-such-program", NULL, NULL, (char **)no, environ);
}

CASE_WITH(FEW, posix_spawnp, by_name, proceeds, ENOENT)
{
  pid_t child;
  RETURNS(0, posix_spawnp, &child, "true", NULL, NULL, (char **)yes, environ);
  reap(child, 0);
  RETURNS(ENOENT, posix_spawnp, &child, "no-such-program", NULL, NULL, (char **)yes, environ);
}

/* ---- and go on as another program ---- */

static void becomes(int status, void (*become)(void))
{
  pid_t child = fork();
  if (!child) {
    become();
    end(99);
  }
  reap(child, status);
  SAW("proceeds");
}

#define EXEC(function, by, status, nothing, ...)                                                             \
  static void become_##function(void)                                                                        \
  {                                                                                                          \
    FAILS(ENOENT, function, nothing);                                                                        \
    function(__VA_ARGS__);                                                                                   \
  }                                                                                                          \
  CASE_WITH(FEW, function, by, proceeds, ENOENT)                                                             \
  {                                                                                                          \
    becomes(status, become_##function);                                                                      \
  }

#define NOWHERE(...) "/no/such/program", __VA_ARGS__
EXEC(execl, by_list, 1, NOWHERE("x", NULL), "/bin/false", "false", NULL)
EXEC(execle, by_list, 0, NOWHERE("x", NULL, environ), "/bin/true", "true", NULL, environ)
EXEC(execlp, by_name, 1, NOWHERE("x", NULL), "false", "false", NULL)
EXEC(execv, by_array, 0, NOWHERE((char **)yes), "/bin/true", (char **)yes)
EXEC(execve, by_array, 1, NOWHERE((char **)no, environ), "/bin/false", (char **)no, environ)
EXEC(execvp, by_name, 0, NOWHERE((char **)yes), "true", (char **)yes)

static void no_program(void)
{
  FAILS(EACCES, execve, "/", (char **)yes, environ);
  FAILS(EACCES, execve, "/etc/passwd", (char **)yes, environ);
}

CASE_WITH(FEW, execve, of_no_program, EACCES)
{
  elsewhere(no_program);
}

/* ---- they are waited for ---- */

static void wait_for_one(const char *function, pid_t (*how)(int *status))
{
  int status, end_[2];
  EXPECT(pipe(end_) == 0);
  pid_t child = fork();
  if (!child) {
    char byte;
    EXPECT(read(end_[0], &byte, 1) == 1); /* not before it may */
    end(5);
  }
  EXPECT(waitpid(child, &status, WNOHANG) == 0);
  EXPECT(write(end_[1], "x", 1) == 1);
  if (waitpid(child, &status, WNOHANG) == 0) {
    SEE(function, "blocks");
    EXPECT(how(&status) == child);
  }
  EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 5);
  SEE(function, "proceeds");
}

static pid_t wait_any(int *status)
{
  return waitpid(-1, status, 0);
}

CASE_WITH(FEW, wait, for_one, proceeds, blocks, ECHILD)
{
  wait_for_one("wait", wait);
  FAILS(ECHILD, wait, NULL);
}

CASE_WITH(FEW, waitpid, for_one, proceeds, blocks, ECHILD, nobody_yet)
{
  wait_for_one("waitpid", wait_any);
  FAILS(ECHILD, waitpid, -1, NULL, 0);
  FAILS(ECHILD, waitpid, getpid(), NULL, 0);
  pid_t child = child_with(1);
  if (waitpid(child, NULL, WNOHANG) == 0) {
    SAW("nobody_yet");
    reap(child, 1);
  }
}

/* Which one of two is told of first is nobody's to say. */
CASE_WITH(FEW, wait, for_two, first, second)
{
  pid_t one = child_with(1);
  child_with(2);
  SAW(wait(NULL) == one ? "first" : "second");
  EXPECT(wait(NULL) > 0);
}

CASE_WITH(FEW, waitpid, for_the_second, second)
{
  pid_t one = child_with(1), other = child_with(2);
  reap(other, 2);
  SAW("second");
  reap(one, 1);
}

CASE_WITH(FEW, waitpid, by_group, proceeds)
{
  pid_t child = child_with(1);
  EXPECT(waitpid(0, NULL, 0) == child);
  SAW("proceeds");
}

CASE_WITH(FEW, waitpid, signalled, signalled)
{
  int status;
  pid_t child = fork();
  if (!child) {
    pause();
    end(0);
  }
  EXPECT(kill(child, SIGKILL) == 0 && waitpid(child, &status, 0) == child);
  EXPECT(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
  SAW("signalled");
}

static void on_signal(int signal)
{
  (void)signal;
}

CASE_WITH(FEW, waitpid, interrupted, EINTR)
{
  struct sigaction action = {.sa_handler = on_signal};
  EXPECT(sigaction(SIGUSR1, &action, NULL) == 0);
  pid_t child = fork();
  if (!child) {
    kill(getppid(), SIGUSR1);
    end(0);
  }
  int result;
  while ((result = waitpid(child, NULL, 0)) == -1) {
    EXPECT(errno == EINTR);
    SAW("EINTR");
  }
}

DEADLOCK(waitpid, for_each_other, "wait")
{
  int end_[2];
  char byte;
  EXPECT(pipe(end_) == 0);
  if (!fork()) {
    EXPECT(read(end_[0], &byte, 1) == 0); /* the parent has the other end, and waits; so has the child itself */
    end(0);
  }
  waitpid(-1, NULL, 0);
}

CASE_WITH(FEW, waitid, without_reaping, proceeds, ECHILD, EINVAL)
{
  siginfo_t info;
  pid_t child = child_with(9);
  RETURNS(0, waitid, P_PID, (id_t)child, &info, WEXITED | WNOWAIT);
  EXPECT(info.si_pid == child && info.si_code == CLD_EXITED && info.si_status == 9);
  reap(child, 9);
  FAILS(ECHILD, waitid, P_ALL, 0, &info, WEXITED);
  FAILS(EINVAL, waitid, (idtype_t)77, 0, &info, WEXITED);
}

/* ---- groups ---- */

CASE_WITH(FEW, setpgid, of_a_child, proceeds, ESRCH, EINVAL, EPERM)
{
  int end_[2];
  EXPECT(pipe(end_) == 0);
  pid_t child = fork();
  if (!child) {
    char byte;
    EXPECT(read(end_[0], &byte, 1) == 1 && getpgrp() == getpid());
    end(0);
  }
  RETURNS(0, setpgid, child, 0);
  EXPECT(getpgid(child) == child);
  EXPECT(write(end_[1], "x", 1) == 1);
  FAILS(ESRCH, setpgid, 77777, 0);
  FAILS(EINVAL, setpgid, 0, -1);
  FAILS(EPERM, setpgid, 0, 77777);
  EXPECT(waitpid(-child, NULL, 0) == child);
}

CASE_WITH(FEW, setpgrp, of_a_child, proceeds)
{
  pid_t child = fork();
  if (!child) {
    RETURNS(0, setpgrp);
    EXPECT(getpgrp() == getpid());
    end(0);
  }
  EXPECT(waitpid(child, NULL, 0) == child);
}

/* ---- descriptors of processes ---- */

static int pidfd(pid_t id, unsigned flags)
{
  return (int)syscall(SYS_pidfd_open, id, flags);
}

CASE_WITH(FEW, pidfd_open, of_a_child, proceeds, blocks, ready, EINVAL, ESRCH, EAGAIN)
{
  pid_t child = child_with(4);
  siginfo_t info;
  int fd = pidfd(child, O_NONBLOCK);
  EXPECT(fd >= 0);
  SAW("proceeds");
  struct pollfd one = {.fd = fd, .events = POLLIN};
  if (waitid(P_PIDFD, (id_t)fd, &info, WEXITED) == -1) {
    EXPECT(errno == EAGAIN);
    SAW("EAGAIN");
    SAW(poll(&one, 1, 0) ? "ready" : "blocks");
    EXPECT(poll(&one, 1, -1) == 1 && one.revents == POLLIN);
    EXPECT(waitid(P_PIDFD, (id_t)fd, &info, WEXITED) == 0);
  }
  EXPECT(info.si_pid == child && info.si_status == 4);
  EXPECT(pidfd(child, 0) == -1 && errno == ESRCH);
  SAW("ESRCH");
  EXPECT(pidfd(getpid(), 1) == -1 && errno == EINVAL);
  SAW("EINVAL");
}

CASE_WITH(FEW, pidfd_send_signal, to_a_child, proceeds, ESRCH, EBADF)
{
  int status;
  pid_t child = fork();
  if (!child) {
    pause();
    end(0);
  }
  int fd = pidfd(child, 0);
  EXPECT(syscall(SYS_pidfd_send_signal, fd, SIGKILL, NULL, 0) == 0);
  SAW("proceeds");
  EXPECT(waitpid(child, &status, 0) == child && WIFSIGNALED(status));
  EXPECT(syscall(SYS_pidfd_send_signal, fd, SIGKILL, NULL, 0) == -1 && errno == ESRCH);
  SAW("ESRCH");
  EXPECT(syscall(SYS_pidfd_send_signal, 77, SIGKILL, NULL, 0) == -1 && errno == EBADF);
  SAW("EBADF");
}

CASE_WITH(FEW, pidfd_getfd, of_a_pipe, proceeds, EBADF)
{
  int end_[2];
  char byte;
  EXPECT(pipe(end_) == 0);
  pid_t parent = getpid(), child = fork();
  if (!child) {
    EXPECT(close(end_[1]) == 0);
    int fd = pidfd(parent, 0), taken = (int)syscall(SYS_pidfd_getfd, fd, end_[1], 0);
    EXPECT(taken >= 0 && write(taken, "x", 1) == 1);
    SAW("proceeds");
    EXPECT(syscall(SYS_pidfd_getfd, fd, 77, 0) == -1 && errno == EBADF);
    SAW("EBADF");
    end(0);
  }
  EXPECT(read(end_[0], &byte, 1) == 1 && byte == 'x');
  reap(child, 0);
}
