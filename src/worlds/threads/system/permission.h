/* SPDX-License-Identifier: Apache-2.0
 *
 * Who may do what with an object of the system that has an owner and a mode, as the kernel decides it.
 */
#ifndef HEDDLE_RUNTIME_PERMISSION_H
#define HEDDLE_RUNTIME_PERMISSION_H

#include "worlds/threads/runtime.h"
#include <sys/stat.h>
#include <sys/syscall.h>

enum { MAY_WRITE = 2, MAY_READ = 4 };

struct owner {
  uint32_t uid, gid;
  uint32_t mode;
};

/* Of what this process makes now. masked: by its mask of new files. */
static inline struct owner owner_new(unsigned mode, bool masked)
{
  long mask = masked ? sys(SYS_umask, 0) : 0;
  if (masked)
    sys(SYS_umask, mask);
  return (struct owner){(uint32_t)sys(SYS_geteuid), (uint32_t)sys(SYS_getegid), mode & 0777 & ~(unsigned)mask};
}

static inline bool owner_permits(const struct owner *o, unsigned wanted)
{
  uint32_t uid = (uint32_t)sys(SYS_geteuid), gid = (uint32_t)sys(SYS_getegid);
  unsigned shift = uid == o->uid ? 6 : gid == o->gid ? 3 : 0;
  return uid == 0 || (o->mode >> shift & wanted) == wanted;
}

/* To change or remove it. */
static inline bool is_owner(const struct owner *o)
{
  uint32_t uid = (uint32_t)sys(SYS_geteuid);
  return uid == 0 || uid == o->uid;
}

#endif
