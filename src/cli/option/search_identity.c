/* SPDX-License-Identifier: Apache-2.0
 *
 * Collecting the identity of a search, see the header. Starts no code of the program: its libraries are listed by the
 * dynamic linker.
 */
#include "cli/option/search_identity.h"
#include "core/hash.h"
#include "schedule/setting_text.h"
#include "session/console.h"
#include "session/launch.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define ONLY_ONE "-" /* the name of a part that has no others of its kind */

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

/* ---- what it is given ---- */

/* The program's name is that of the user; one that was compiled for him has a number in the output folder. */
static void add_arguments(struct identity *identity, const struct hunt *hunt)
{
  const struct target *t = &hunt->target;
  uint64_t hash = hash_string(HASH_START, hunt->files.program ? t->label : t->name);
  for (size_t i = 0; i < t->arg_count; i++)
    hash = hash_string(hash, t->args[i]);
  identity_add_hash(identity, IDENTITY_ARGUMENTS, ONLY_ONE, hash);
}

static void add_variable(struct identity *identity, const char *entry)
{
  char *name = strndup(entry, strcspn(entry, "="));
  if (name)
    identity_add_hash(identity, IDENTITY_VARIABLE, name, hash_string(HASH_START, entry));
  else
    identity->failed = true;
  free(name);
}

static void add_environment(struct identity *identity, const struct launch *launch, const struct setting_names *ignored)
{
  const char *preloaded = getenv("LD_PRELOAD");
  for (char **e = launch->envp + launch->users; *e; e++)
    if (strncmp(*e, ROOM_ENV "=", sizeof ROOM_ENV) != 0)
      add_variable(identity, *e);
  if (preloaded && *preloaded)
    identity_add_hash(identity, IDENTITY_VARIABLE, "LD_PRELOAD", hash_string(HASH_START, preloaded));
  for (uint32_t i = 0; i < ignored->count; i++)
    identity_ignore(identity, ignored->name[i]);
  char room[32];
  snprintf(room, sizeof room, "%zu", launch->room);
  identity_add(identity, IDENTITY_STACK, ONLY_ONE, room);
}

static bool add_folder(struct identity *identity)
{
  char *folder = getcwd(NULL, 0);
  if (!folder) {
    console_error("the current folder has no name: %s", strerror(errno));
    return false;
  }
  identity_add(identity, IDENTITY_FOLDER, ONLY_ONE, folder);
  free(folder);
  return true;
}

/* ---- how it is searched ---- */

static void add_settings(struct identity *identity, const struct hunt *hunt)
{
  const struct settings settings = settings_in_force(hunt->options, &hunt->config);
  for (const struct setting *s = settings_table; s < settings_table + SETTINGS; s++) {
    char text[SETTING_TEXT_SIZE];
    if (s->scope == SCOPE_MEANING)
      identity_add(identity, IDENTITY_SETTING, s->name, setting_text(s, &settings, text));
  }
  identity_add_hash(identity, IDENTITY_MEANING, ONLY_ONE, settings_fingerprint(&settings));
}

bool search_identity(struct identity *identity, const struct hunt *hunt)
{
  const struct target *target = &hunt->target;
  struct launch launch;
  *identity = (struct identity){0};
  if (!launch_open(&launch, target))
    return false;
  bool good = add_file(identity, IDENTITY_PROGRAM, ONLY_ONE, target->path) && add_libraries(identity, &launch) &&
              add_file(identity, IDENTITY_HEDDLE, "runtime", launch.library) &&
              add_file(identity, IDENTITY_HEDDLE, "command", "/proc/self/exe") && add_folder(identity);
  if (good) {
    add_arguments(identity, hunt);
    identity_add_hash(identity, IDENTITY_INPUT, ONLY_ONE, hash_bytes(HASH_START, target->input, target->input_bytes));
    add_settings(identity, hunt);
    add_environment(identity, &launch, &hunt->options->env_ignore);
  }
  launch_close(&launch);
  if (good && identity->failed)
    console_error("no memory left");
  return good && !identity->failed;
}
