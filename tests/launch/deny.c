/* SPDX-License-Identifier: Apache-2.0
 *
 * Plays a container or a machine that forbids something: deny CALL[=ERRNO][,CALL...] -- COMMAND...
 *
 * Runs the command under a seccomp filter that lets the named system calls fail, with EPERM unless another error is named
 * (ENOSYS, EACCES, ENOMEM, EAGAIN). personality() may still be asked for its value, as in a container.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define CALLS(X)                                                                                             \
  X(personality) X(ptrace) X(memfd_create) X(pidfd_open) X(clone3) X(seccomp) X(getcwd) X(signalfd4) X(userfaultfd) \
  X(mprotect) X(process_vm_readv) X(vfork)

static const struct {
  const char *name;
  unsigned number;
} calls[] = {
#define X(name) {#name, SYS_##name},
    CALLS(X)
#undef X
};

static const struct {
  const char *name;
  unsigned number;
} errors[] = {{"EPERM", EPERM}, {"ENOSYS", ENOSYS}, {"EACCES", EACCES}, {"ENOMEM", ENOMEM}, {"EAGAIN", EAGAIN}};

static struct sock_filter filter[256];
static unsigned short length;

static void add(unsigned short code, unsigned value, unsigned char yes, unsigned char no)
{
  filter[length++] = (struct sock_filter){code, yes, no, value};
}

static unsigned error_named(const char *name)
{
  for (size_t i = 0; name && i < sizeof errors / sizeof errors[0]; i++)
    if (!strcmp(errors[i].name, name))
      return errors[i].number;
  if (name) {
    fprintf(stderr, "deny: unknown error %s\n", name);
    exit(125);
  }
  return EPERM;
}

/* personality() without arguments that change something is a question, and always allowed. */
static void deny(const char *name, unsigned error)
{
  if (!strcmp(name, "dispatch")) { /* of system calls, by the program itself */
    add(BPF_JMP | BPF_JEQ | BPF_K, SYS_prctl, 0, 4);
    add(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0]), 0, 0);
    add(BPF_JMP | BPF_JEQ | BPF_K, PR_SET_SYSCALL_USER_DISPATCH, 0, 1);
    add(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error, 0, 0);
    add(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr), 0, 0);
    return;
  }
  for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
    if (strcmp(calls[i].name, name))
      continue;
    if (calls[i].number == SYS_personality) {
      add(BPF_JMP | BPF_JEQ | BPF_K, SYS_personality, 0, 4);
      add(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0]), 0, 0);
      add(BPF_JMP | BPF_JEQ | BPF_K, 0xffffffff, 1, 0);
      add(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error, 0, 0);
      add(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr), 0, 0);
    } else {
      add(BPF_JMP | BPF_JEQ | BPF_K, calls[i].number, 0, 1);
      add(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error, 0, 0);
    }
    return;
  }
  fprintf(stderr, "deny: unknown call %s\n", name);
  exit(125);
}

int main(int argc, char **argv)
{
  if (argc < 4 || strcmp(argv[2], "--")) {
    fputs("usage: deny CALL[=ERRNO][,CALL...] -- COMMAND...\n", stderr);
    return 125;
  }
  add(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr), 0, 0);
  for (char *name = strtok(argv[1], ","); name; name = strtok(NULL, ",")) {
    char *error = strchr(name, '=');
    if (error)
      *error++ = 0;
    deny(name, error_named(error));
  }
  add(BPF_RET | BPF_K, SECCOMP_RET_ALLOW, 0, 0);
  struct sock_fprog program = {length, filter};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
    perror("deny");
    return 125;
  }
  execvp(argv[3], argv + 3);
  perror(argv[3]);
  return 127;
}
