/* SPDX-License-Identifier: Apache-2.0
 *
 * See work_folder.h.
 */
#include "file/work_folder.h"
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool work_folder_make(char folder[PATH_MAX], const char *purpose)
{
  const char *base = getenv("TMPDIR");
  int length = snprintf(folder, PATH_MAX, "%s/heddle-%s-XXXXXX", base && *base ? base : "/tmp", purpose);
  if (length >= PATH_MAX)
    errno = ENAMETOOLONG;
  if (length < PATH_MAX && mkdtemp(folder))
    return true;
  folder[0] = 0;
  return false;
}

static void remove_all(const char *path)
{
  DIR *folder = opendir(path);
  for (struct dirent *entry; folder && (entry = readdir(folder)) != NULL;) {
    char *name;
    if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..") ||
        asprintf(&name, "%s/%s", path, entry->d_name) < 0)
      continue;
    if (unlink(name) != 0)
      remove_all(name);
    free(name);
  }
  if (folder)
    closedir(folder);
  rmdir(path);
}

void work_folder_remove(char folder[PATH_MAX])
{
  if (folder[0])
    remove_all(folder);
  folder[0] = 0;
}
