/* SPDX-License-Identifier: Apache-2.0
 *
 * The folder of the cluster on this machine, see the header.
 */
#include "cluster/local_folder.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void local_folder(char folder[PATH_MAX])
{
  const char *runtime = getenv("XDG_RUNTIME_DIR"), *temporary = getenv("TMPDIR");
  const char *base = runtime && *runtime ? runtime : temporary && *temporary ? temporary : "/tmp";
  snprintf(folder, PATH_MAX, "%.4000s/heddle-cluster-%u", base, (unsigned)getuid());
}

static bool read_line(const char *folder, const char *name, char *line, int size)
{
  char path[PATH_MAX + 16];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *f = fopen(path, "re");
  bool good = f && fgets(line, size, f);
  if (f)
    fclose(f);
  return good;
}

bool local_secret(const char *address, char secret[SECRET_SIZE])
{
  char folder[PATH_MAX], its_address[64];
  struct stat st;
  local_folder(folder);
  return lstat(folder, &st) == 0 && S_ISDIR(st.st_mode) && st.st_uid == getuid() && !(st.st_mode & 077) &&
         read_line(folder, LOCAL_ADDRESS, its_address, sizeof its_address) && !strcmp(its_address, address) &&
         read_line(folder, LOCAL_SECRET, secret, SECRET_SIZE);
}
