/* SPDX-License-Identifier: Apache-2.0
 *
 * Empty headers in a file system that only the reader sees; see the header.
 */
#include "frontend/missing_headers.h"
#include "file/paths.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define FOLDER "/heddle-missing" /* there is none of that name */

/* What clang writes as a string, and joins to a folder, without a second thought. */
static bool is_plain(const char *name)
{
  const bool climbs = name[0] == '/' || strstr(name, "..");
  return name[0] && !climbs && name[strcspn(name, "\"\\\n\t")] == '\0';
}

bool missing_headers_has(const struct missing_headers *m, const char *name)
{
  for (size_t i = 0; i < m->count; i++)
    if (!strcmp(m->header[i].name, name))
      return true;
  return false;
}

bool missing_headers_add(struct missing_headers *m, const char *name, const char *folder)
{
  if (m->count == MISSING_HEADERS_MOST || !is_plain(name) || missing_headers_has(m, name))
    return false;
  struct missing_header *h = &m->header[m->count];
  *h = (struct missing_header){strdup(name), strdup(folder)};
  if (h->name && h->folder) {
    m->count++;
    return true;
  }
  free(h->name);
  free(h->folder);
  return false;
}

void missing_headers_free(struct missing_headers *m)
{
  for (size_t i = 0; i < m->count; i++) {
    free(m->header[i].name);
    free(m->header[i].folder);
  }
  m->count = 0;
}

bool missing_headers_is_empty(const char *path)
{
  return !strncmp(path, FOLDER "/", sizeof FOLDER) || !strcmp(path, "/dev/null");
}

/* ---- standing in ---- */

/* The file system of empty headers, as clang reads it; below 0: there is none. */
static int write_overlay(const struct missing_headers *m)
{
  const int descriptor = memfd_create("missing headers", MFD_CLOEXEC);
  bool good = descriptor >= 0 && dprintf(descriptor, "{\"version\":0,\"roots\":[") > 0;
  for (size_t i = 0; good && i < m->count; i++)
    good = dprintf(descriptor, "%s{\"name\":\"" FOLDER "/%s\",\"type\":\"file\",\"external-contents\":\"/dev/null\"}",
                   i ? "," : "", m->header[i].name) > 0;
  if (good && dprintf(descriptor, "]}\n") > 0)
    return descriptor;
  if (descriptor >= 0)
    close(descriptor);
  return -1;
}

bool missing_headers_stand_in(const struct missing_headers *m, struct compile_meaning *words, int *descriptor)
{
  static const size_t added = 4;
  char path[32];
  *descriptor = write_overlay(m);
  char **grown = *descriptor < 0 ? NULL : realloc(words->word, (words->count + added) * sizeof *grown);
  if (!grown)
    return false;
  words->word = grown;
  snprintf(path, sizeof path, "/proc/self/fd/%d", *descriptor);
  const char *const more[] = {"-ivfsoverlay", path, "-idirafter", FOLDER};
  for (size_t i = 0; i < added; i++) {
    grown[words->count] = strdup(more[i]);
    if (!grown[words->count])
      return false;
    words->count++;
  }
  return true;
}

/* ---- where they would be ---- */

static bool names_folder(const char *word)
{
  return !strcmp(word, "-I") || !strcmp(word, "-isystem") || !strcmp(word, "-iquote") || !strcmp(word, "-idirafter");
}

static void place_in(const char *folder, const char *name, void (*place)(const char *path, void *data), void *data)
{
  char *path = path_join(folder, name);
  if (path)
    place(path, data);
  free(path);
}

void missing_headers_places(const struct missing_headers *m, const struct compile_meaning *words,
                            void (*place)(const char *path, void *data), void *data)
{
  static const char *const system[] = {"/usr/include", "/usr/local/include", "/usr/include/x86_64-linux-gnu",
                                       "/usr/include/aarch64-linux-gnu"};
  for (size_t i = 0; i < m->count; i++) {
    const struct missing_header *h = &m->header[i];
    place_in(h->folder, h->name, place, data);
    for (size_t k = 0; k + 1 < words->count; k++)
      if (names_folder(words->word[k]))
        place_in(words->word[k + 1], h->name, place, data);
    for (size_t k = 0; k < sizeof system / sizeof *system; k++)
      place_in(system[k], h->name, place, data);
  }
}
