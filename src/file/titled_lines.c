/* SPDX-License-Identifier: Apache-2.0
 *
 * Reading files with a title; see the header.
 */
#include "file/titled_lines.h"
#include "file/format_version.h"
#include "file/input_file.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool titled_lines_read(const char *path, const char *first_line, bool (*take)(void *data, const char *line), void *data,
                       const char *complaint, char *error, size_t error_size)
{
  char why[256], *line = NULL;
  size_t room = 0, number = 0;
  FILE *in = input_open(path, why, sizeof why);
  if (!in) {
    snprintf(error, error_size, "%s %s", path, why);
    return false;
  }
  bool good = !file_is_of_another_version(in, first_line, why, sizeof why);
  if (!good)
    snprintf(error, error_size, "%s: %s", path, why);
  while (good && input_line(&line, &room, in, NULL) >= 0) {
    number++;
    good = number == 1 ? !strncmp(line, first_line, strlen(first_line)) : take(data, line);
    if (!good)
      snprintf(error, error_size, "%s:%zu: %s", path, number, complaint);
  }
  free(line);
  fclose(in);
  return good;
}
