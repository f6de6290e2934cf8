/* SPDX-License-Identifier: Apache-2.0
 *
 * Whom the process acts as: setuid() and its like. libc's own make the call in every thread that the kernel has, of
 * which all but one are only there to lend their stacks; here it is one call, as all threads are one to the kernel.
 */
#include "worlds/threads/runtime.h"
#include "worlds/threads/system/call.h"
#include <errno.h>
#include <grp.h>
#include <sys/syscall.h>
#include <unistd.h>

static int change(long number, long first, long second, long third, uintptr_t pc)
{
  const long arg[6] = {first, second, third};
  long result = system_call(number, arg, pc);
  if (result < 0)
    errno = (int)-result;
  return result < 0 ? -1 : 0;
}

/* Before main, and in programs that heddle does not control, it is libc's business. */
#define FORWARD(name, ...)                                                                                             \
  if (!hd_self)                                                                                                        \
  return REAL(name)(__VA_ARGS__)

EXPORT int setuid(uid_t user)
{
  FORWARD(setuid, user);
  return change(SYS_setuid, (long)user, 0, 0, CALLER());
}

EXPORT int setgid(gid_t group)
{
  FORWARD(setgid, group);
  return change(SYS_setgid, (long)group, 0, 0, CALLER());
}

EXPORT int setreuid(uid_t real, uid_t effective)
{
  FORWARD(setreuid, real, effective);
  return change(SYS_setreuid, (long)real, (long)effective, 0, CALLER());
}

EXPORT int setregid(gid_t real, gid_t effective)
{
  FORWARD(setregid, real, effective);
  return change(SYS_setregid, (long)real, (long)effective, 0, CALLER());
}

EXPORT int setresuid(uid_t real, uid_t effective, uid_t saved)
{
  FORWARD(setresuid, real, effective, saved);
  return change(SYS_setresuid, (long)real, (long)effective, (long)saved, CALLER());
}

EXPORT int setresgid(gid_t real, gid_t effective, gid_t saved)
{
  FORWARD(setresgid, real, effective, saved);
  return change(SYS_setresgid, (long)real, (long)effective, (long)saved, CALLER());
}

EXPORT int seteuid(uid_t user)
{
  FORWARD(seteuid, user);
  return change(SYS_setresuid, -1, (long)user, -1, CALLER());
}

EXPORT int setegid(gid_t group)
{
  FORWARD(setegid, group);
  return change(SYS_setresgid, -1, (long)group, -1, CALLER());
}

EXPORT int setgroups(size_t count, const gid_t *groups)
{
  FORWARD(setgroups, count, groups);
  return change(SYS_setgroups, (long)count, (long)groups, 0, CALLER());
}

#define GROUPS_MOST 1024

EXPORT int initgroups(const char *user, gid_t group)
{
  FORWARD(initgroups, user, group);
  gid_t list[GROUPS_MOST];
  int count = GROUPS_MOST;
  if (getgrouplist(user, group, list, &count) < 0) {
    errno = EINVAL; /* the kernel takes more, but nobody is in so many */
    return -1;
  }
  return change(SYS_setgroups, count, (long)list, 0, CALLER());
}
