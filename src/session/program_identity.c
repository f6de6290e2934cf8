/* SPDX-License-Identifier: Apache-2.0
 *
 * What a program and heddle are made of, see the header. Starts no code of the program: its libraries are listed by the
 * dynamic linker.
 */
#include "session/program_identity.h"
#include "core/hash.h"
#include "session/console.h"
#include "session/launch.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static bool hash_file(const char *path, uint64_t *hash)
{
  unsigned char buffer[65536];
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  ssize_t n = -1;
  *hash = HASH_START;
  while (fd >= 0 && ((n = read(fd, buffer, sizeof buffer)) > 0 || (n < 0 && errno == EINTR)))
    if (n > 0)
      *hash = hash_bytes(*hash, buffer, (size_t)n);
  int error = errno;
  if (fd >= 0)
    close(fd);
  errno = error;
  return n == 0;
}

static bool add_file(struct identity *identity, enum identity_kind kind, const char *name, const char *path)
{
  uint64_t hash;
  if (!hash_file(path, &hash)) {
    console_error("%s cannot be read: %s", path, strerror(errno));
    return false;
  }
  identity_add_hash(identity, kind, name, hash);
  return true;
}

/* ---- libraries ---- */

/* The dynamic linker, asked to list what it would load. */
static FILE *list_libraries(const struct launch *launch, pid_t *pid)
{
  int ends[2];
  size_t count = 0;
  while (launch->envp[count])
    count++;
  char **envp = calloc(count + 2, sizeof *envp);
  if (!envp || pipe2(ends, O_CLOEXEC) != 0) {
    free(envp);
    return NULL;
  }
  envp[0] = (char *)"LD_TRACE_LOADED_OBJECTS=1";
  memcpy(envp + 1, launch->envp + 1, (count - 1) * sizeof *envp); /* but for the first, which is the control block */
  struct child child = {
      .path = launch->path,
      .argv = launch->argv,
      .envp = envp,
      .descriptor = {{launch->null_fd, 0}, {ends[1], 1}, {launch->null_fd, 2}, {launch->library_fd, LIBRARY_FD}},
      .descriptors = 3};
  if (launch->library_fd >= 0)
    child.descriptors++;
  *pid = child_spawn(&child);
  close(ends[1]);
  free(envp);
  FILE *lines = *pid > 0 ? fdopen(ends[0], "r") : NULL;
  if (!lines)
    close(ends[0]);
  return lines;
}

/* "name => path (address)" or "path (address)"; the kernel's own has no path. Ours is hashed by itself. */
static bool add_library(struct identity *identity, char *line, const char *ours)
{
  char *path = strchr(line, '/'), *end = path ? strrchr(path, '(') : NULL;
  if (!end || end == path)
    return true;
  end[-1] = 0;
  return !strcmp(path, ours) || !strncmp(path, "/proc/", 6) || add_file(identity, IDENTITY_LIBRARY, path, path);
}

static bool add_libraries(struct identity *identity, const struct launch *launch)
{
  pid_t pid;
  char *line = NULL;
  size_t room = 0;
  FILE *lines = list_libraries(launch, &pid);
  bool good = lines;
  while (good && getline(&line, &room, lines) > 0)
    good = add_library(identity, line, launch->library);
  free(line);
  if (!lines) {
    console_error("the libraries of %s cannot be listed: %s", launch->path, strerror(errno));
    return false;
  }
  fclose(lines);
  waitpid(pid, NULL, 0);
  return good;
}

bool program_identity(struct identity *identity, const struct launch *launch)
{
  char room[32];
  snprintf(room, sizeof room, "%zu", launch->room);
  identity_add(identity, IDENTITY_STACK, IDENTITY_ONLY_ONE, room);
  return add_file(identity, IDENTITY_PROGRAM, IDENTITY_ONLY_ONE, launch->path) && add_libraries(identity, launch) &&
         add_file(identity, IDENTITY_HEDDLE, "runtime", launch->library) &&
         add_file(identity, IDENTITY_HEDDLE, "command", "/proc/self/exe");
}

/* What the kernel says the first processor can do: libraries choose their code by it. */
static void add_processor(struct identity *identity)
{
  FILE *lines = fopen("/proc/cpuinfo", "re");
  char *line = NULL;
  size_t room = 0;
  bool found = false;
  while (lines && !found && getline(&line, &room, lines) > 0)
    found = !strncmp(line, "flags", 5) || !strncmp(line, "Features", 8);
  identity_add_hash(identity, IDENTITY_PROCESSOR, "features", found ? hash_string(HASH_START, line) : 0);
  free(line);
  if (lines)
    fclose(lines);
}

bool machine_identity(struct identity *identity, const struct target *target)
{
  struct launch launch;
  *identity = (struct identity){0};
  if (!launch_open(&launch, target))
    return false;
  bool good = program_identity(identity, &launch);
  add_processor(identity);
  launch_close(&launch);
  return good && !identity->failed;
}
