/* SPDX-License-Identifier: Apache-2.0
 *
 * Facts in files; see the header.
 */
#include "lint/fact_cache.h"
#include "core/hash.h"
#include "file/input_file.h"
#include "file/output_file.h"
#include "file/work_folder.h"
#include "lint/syntax_draft.h"
#include "lint/syntax_read.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- the folder ---- */

/* Makes it and those above it. */
static bool make_folders(char *path)
{
  for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
    *slash = '\0';
    const bool made = mkdir(path, 0700) == 0 || errno == EEXIST;
    *slash = '/';
    if (!made)
      return false;
  }
  return (mkdir(path, 0700) == 0 || errno == EEXIST) && access(path, W_OK) == 0;
}

bool fact_cache_open(struct fact_cache *c, bool lasting, char *error, size_t error_size)
{
  const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
  const bool named = cache && cache[0] == '/';
  *c = (struct fact_cache){0};
  if (lasting && (named || (home && home[0] == '/')) &&
      snprintf(c->folder, sizeof c->folder, "%s%s/heddle/lint", named ? cache : home, named ? "" : "/.cache") <
          (int)sizeof c->folder &&
      make_folders(c->folder))
    return true;
  c->temporary = true;
  if (work_folder_make(c->folder, "lint"))
    return true;
  snprintf(error, error_size, "there is no folder for temporary files: %s", strerror(errno));
  return false;
}

void fact_cache_close(struct fact_cache *c)
{
  if (c->temporary)
    work_folder_remove(c->folder);
}

static bool path_of(const struct fact_cache *c, const struct compile_command *command, char path[PATH_MAX])
{
  uint64_t key = hash_string(hash_string(HASH_START, SYNTAX_TITLE HEDDLE_VERSION), syntax_reader);
  key = hash_string(hash_string(key, command->folder), command->source);
  for (size_t i = 0; i < command->word_count; i++)
    key = hash_string(key, command->words[i]);
  return snprintf(path, PATH_MAX, "%s/%016" PRIx64, c->folder, key) < PATH_MAX;
}

/* ---- what is in files ---- */

/* All of a file, malloc'ed; NULL: it cannot be read. */
static void *read_file(const char *path, size_t *count)
{
  char why[256];
  struct stat status;
  const int fd = input_descriptor(path, why, sizeof why);
  char *bytes = fd >= 0 && fstat(fd, &status) == 0 ? malloc((size_t)status.st_size + 1) : NULL;
  size_t size = bytes ? (size_t)status.st_size : 0;
  *count = 0;
  for (ssize_t got = 1; *count < size && got > 0;) {
    got = read(fd, bytes + *count, size - *count);
    *count += got > 0 ? (size_t)got : 0;
  }
  if (fd >= 0)
    close(fd);
  if (*count == size)
    return bytes;
  free(bytes);
  return NULL;
}

/* Hashes of files that were asked for in this process: headers are asked for again and again. */
struct known_file {
  char *path; /* NULL: a free slot */
  uint64_t hash;
};
static struct known_file *known;
static size_t known_slots, known_count;

static struct known_file *known_slot(const char *path)
{
  size_t at = hash_string(HASH_START, path) & (known_slots - 1);
  while (known[at].path && strcmp(known[at].path, path) != 0)
    at = (at + 1) & (known_slots - 1);
  return &known[at];
}

static bool grow_known(void)
{
  if (2 * known_count < known_slots)
    return true;
  const size_t old_slots = known_slots, slots = old_slots ? 2 * old_slots : 1024;
  struct known_file *old = known, *fresh = calloc(slots, sizeof *fresh);
  if (!fresh)
    return false;
  known = fresh;
  known_slots = slots;
  for (size_t i = 0; i < old_slots; i++)
    if (old[i].path)
      *known_slot(old[i].path) = old[i];
  free(old);
  return true;
}

/* 0: it cannot be read. */
static uint64_t hash_file(const char *path)
{
  size_t count;
  char *bytes = read_file(path, &count);
  const uint64_t hash = bytes ? hash_bytes(HASH_START, bytes, count) | 1 : 0;
  free(bytes);
  return hash;
}

static uint64_t hash_of(const char *path)
{
  if (!grow_known())
    return hash_file(path);
  struct known_file *slot = known_slot(path);
  if (slot->path)
    return slot->hash;
  const uint64_t hash = hash_file(path);
  slot->path = strdup(path);
  slot->hash = hash;
  known_count += slot->path != NULL;
  return hash;
}

/* ---- facts ---- */

/* Whether it is known where headers that were missing would be. */
static bool has_places(const struct syntax *facts)
{
  for (uint32_t i = 0; i < facts->sources; i++)
    if (!facts->source[i].hash)
      return true;
  return false;
}

bool fact_cache_find(const struct fact_cache *c, const struct compile_command *command, bool fresh,
                     struct syntax *facts)
{
  char path[PATH_MAX];
  size_t count = 0;
  void *bytes = path_of(c, command, path) ? read_file(path, &count) : NULL;
  if (!bytes || !syntax_open(facts, bytes, count))
    return false;
  /* A header that was missing may be there by now, wherever it is. */
  bool good = fresh || !strstr(syntax_text(facts, facts->problem), "file not found") || has_places(facts);
  for (uint32_t i = 0; good && !fresh && i < facts->sources; i++)
    good = hash_of(syntax_text(facts, facts->source[i].path)) == facts->source[i].hash;
  if (!good)
    syntax_close(facts);
  return good;
}

bool fact_cache_make(const struct fact_cache *c, const struct compile_command *command, char *error, size_t error_size)
{
  char path[PATH_MAX];
  size_t count;
  void *bytes = syntax_read(command, hash_of, &count, error, error_size);
  if (!bytes)
    return false;
  const bool good = path_of(c, command, path) && output_file_write(path, FILE_FACTS, bytes, count, error, error_size);
  free(bytes);
  return good;
}
