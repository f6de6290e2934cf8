/* SPDX-License-Identifier: Apache-2.0
 *
 * posix_spawn() and what it is told with, as accesses of the program's memory (announce.h). The process that it makes
 * is made by system calls, and those are steps of their own.
 */
#include "worlds/threads/libc/announce.h"
#include "worlds/threads/process/borrowing.h"
#include <spawn.h>

typedef posix_spawn_file_actions_t actions_t;
typedef posix_spawnattr_t attributes_t;

static void reads_list(char *const *list, uintptr_t pc)
{
  size_t n = 0;
  if (!list)
    return;
  for (; list[n]; n++)
    reads_text(list[n], UNBOUNDED, 1, pc);
  reads(list, (n + 1) * sizeof *list, pc);
}

/* How posix_spawn() and posix_spawnp() are called. */
struct spawn {
  pid_t *pid;
  const char *path;
  const actions_t *actions;
  const attributes_t *attributes;
  char *const *argv, *const *envp;
};

typedef int spawn_function(pid_t *, const char *, const actions_t *, const attributes_t *, char *const *,
                           char *const *);

static int spawn(spawn_function *real, const struct spawn *s, uintptr_t pc)
{
  pid_t child = 0;
  if (hooked(pc)) {
    reads_text(s->path, UNBOUNDED, 1, pc);
    reads_any(s->actions, sizeof *s->actions, pc);
    reads_any(s->attributes, sizeof *s->attributes, pc);
    reads_list(s->argv, pc);
    reads_list(s->envp, pc);
  }
  if (!hd_self)
    return real(s->pid, s->path, s->actions, s->attributes, s->argv, s->envp);
  borrowing_of_spawn(true);
  int error = real(&child, s->path, s->actions, s->attributes, s->argv, s->envp);
  borrowing_of_spawn(false);
  if (!error)
    error = borrowing_error(child, pc);
  if (error || !s->pid)
    return error;
  writes_for(s->pid, sizeof child, pc);
  *s->pid = child;
  return 0;
}

#define SPAWNS(name)                                                                                                   \
  SHADOW(int, name,                                                                                                    \
         (pid_t * pid, const char *path, const actions_t *actions, const attributes_t *attributes, char *const *argv,  \
          char *const *envp));                                                                                         \
  EXPORT int libc_##name(pid_t *pid, const char *path, const actions_t *actions, const attributes_t *attributes,       \
                         char *const *argv, char *const *envp)                                                         \
  {                                                                                                                    \
    return spawn(LIBC(name), &(struct spawn){pid, path, actions, attributes, argv, envp}, CALLER());                   \
  }
SPAWNS(posix_spawn)
SPAWNS(posix_spawnp)

/* ---- what is to be done with descriptors ---- */

#define ACTIONS(name, parameters, arguments, ...)                                                                      \
  SHADOWS(int, posix_spawn_file_actions_##name, (actions_t * actions UNWRAP parameters), (actions UNWRAP arguments),   \
          writes(actions, sizeof *actions, pc);                                                                        \
          __VA_ARGS__)
ACTIONS(init, (), ())
ACTIONS(destroy, (), ())
ACTIONS(addclose, (, int fd), (, fd))
ACTIONS(adddup2, (, int from, int to), (, from, to))
ACTIONS(addopen, (, int fd, const char *path, int flags, mode_t mode), (, fd, path, flags, mode),
        reads_text(path, UNBOUNDED, 1, pc))
ACTIONS(addchdir_np, (, const char *path), (, path), reads_text(path, UNBOUNDED, 1, pc))
ACTIONS(addfchdir_np, (, int fd), (, fd))
ACTIONS(addclosefrom_np, (, int from), (, from))

/* ---- what it is to be like ---- */

#define ATTRIBUTES(name, parameters, arguments, ...)                                                                   \
  SHADOWS(int, posix_spawnattr_##name, parameters, arguments, __VA_ARGS__)
ATTRIBUTES(init, (attributes_t * a), (a), writes(a, sizeof *a, pc))
ATTRIBUTES(destroy, (attributes_t * a), (a), writes(a, sizeof *a, pc))

/* One that is put there by its value or by its address, and the way back. */
#define ATTRIBUTE(what, T)                                                                                             \
  ATTRIBUTES(set##what, (attributes_t * a, T value), (a, value), writes(a, sizeof *a, pc))                             \
  ATTRIBUTES(get##what, (const attributes_t *a, T *value), (a, value), reads(a, sizeof *a, pc);                        \
             writes(value, sizeof *value, pc))
#define ATTRIBUTE_AT(what, T)                                                                                          \
  ATTRIBUTES(set##what, (attributes_t * a, const T *value), (a, value), reads(value, sizeof *value, pc);               \
             writes(a, sizeof *a, pc))                                                                                 \
  ATTRIBUTES(get##what, (const attributes_t *a, T *value), (a, value), reads(a, sizeof *a, pc);                        \
             writes(value, sizeof *value, pc))
ATTRIBUTE(flags, short)
ATTRIBUTE(pgroup, pid_t)
ATTRIBUTE(schedpolicy, int)
ATTRIBUTE_AT(sigdefault, sigset_t)
ATTRIBUTE_AT(sigmask, sigset_t)
ATTRIBUTE_AT(schedparam, struct sched_param)
