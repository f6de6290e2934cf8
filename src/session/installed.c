/* SPDX-License-Identifier: Apache-2.0
 *
 * See installed.h.
 */
#include "session/installed.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

/* False when the name is too long. */
static bool join(char out[PATH_MAX], const char *folder, const char *name)
{
  int length = snprintf(out, PATH_MAX, "%s%s", folder, name);
  return length >= 0 && length < PATH_MAX;
}

static bool paths_at(struct heddle_paths *out, const char *exe_dir, const char *lib, const char *include)
{
  char at[PATH_MAX];
  if (!join(at, exe_dir, lib) || !realpath(at, out->lib_dir) || !join(out->library, out->lib_dir, "/libheddle.so") ||
      access(out->library, R_OK) != 0)
    return false;
  if (!join(at, exe_dir, include))
    return false;
  if (!realpath(at, out->include_dir))
    memcpy(out->include_dir, at, sizeof at);
  return true;
}

/* Without /proc, what the kernel was asked to execute. */
bool heddle_executable(char out[PATH_MAX])
{
  ssize_t length = readlink("/proc/self/exe", out, PATH_MAX - 1);
  const char *name = (const char *)getauxval(AT_EXECFN);
  if (length <= 0)
    return name && realpath(name, out);
  out[length] = 0;
  return true;
}

int heddle_paths(struct heddle_paths *out)
{
  char exe[PATH_MAX];
  if (!heddle_executable(exe))
    return -1;
  char *slash = strrchr(exe, '/');
  if (!slash)
    return -1;
  *slash = 0;
  return paths_at(out, exe, "/.", "/../include") || paths_at(out, exe, "/../lib/heddle", "/../include") ? 0 : -1;
}
