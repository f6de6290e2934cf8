/* SPDX-License-Identifier: Apache-2.0
 *
 * Paths, see the header.
 */
#include "file/paths.h"

#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *path_join(const char *folder, const char *path)
{
  char *joined;
  if (*path == '/')
    return strdup(path);
  return asprintf(&joined, "%s/%s", strcmp(folder, "/") ? folder : "", path) < 0 ? NULL : joined;
}

char *path_folder(const char *path)
{
  char *copy = strdup(path), *folder = copy ? realpath(dirname(copy), NULL) : NULL;
  free(copy);
  return folder;
}

char *path_absolute(const char *folder, const char *path)
{
  char *joined = path_join(folder, path), *real = joined ? path_folder(joined) : NULL;
  char *absolute = real ? path_join(real, basename(joined)) : NULL;
  free(joined);
  free(real);
  return absolute;
}

/* Where two paths part: the length of what they have in common, in whole folders. */
static size_t common_folders(const char *a, const char *b)
{
  size_t same = 0, folders = 0;
  for (; a[same] && a[same] == b[same]; same++)
    if (a[same] == '/')
      folders = same;
  return (!a[same] || a[same] == '/') && (!b[same] || b[same] == '/') ? same : folders;
}

char *path_relative(const char *from, const char *to)
{
  const size_t common = common_folders(from, to);
  const char *down = to + common + strspn(to + common, "/");
  char *path = malloc(3 * strlen(from) + strlen(to) + 2), *at = path;
  if (!path)
    return NULL;
  for (const char *up = from + common; *up; up++)
    if (*up == '/' && up[1])
      at = stpcpy(at, at == path ? ".." : "/..");
  if (*down)
    at = stpcpy(stpcpy(at, at == path ? "" : "/"), down);
  if (at == path)
    strcpy(path, ".");
  return path;
}
