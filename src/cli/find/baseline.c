/* SPDX-License-Identifier: Apache-2.0
 *
 * Baselines in files, see the header.
 */
#include "cli/find/baseline.h"
#include "file/output_file.h"
#include "file/titled_lines.h"
#include <stdlib.h>
#include <string.h>

#define FIRST_LINE "# heddle baseline 1"

static bool add(struct baseline *b, const char *identity)
{
  char(*grown)[IDENTITY_DIGITS] = realloc(b->identity, (b->count + 1) * sizeof *grown);
  if (!grown)
    return false;
  b->identity = grown;
  memcpy(grown[b->count], identity, IDENTITY_DIGITS - 1);
  grown[b->count++][IDENTITY_DIGITS - 1] = '\0';
  return true;
}

static bool take_line(void *data, const char *line)
{
  struct baseline *b = data;
  if (*line == '#' || strspn(line, " \t\r\n") == strlen(line))
    return true;
  char kind[16];
  if (strspn(line, "0123456789abcdef") != IDENTITY_DIGITS - 1 ||
      sscanf(line + IDENTITY_DIGITS - 1, " %15s", kind) != 1 || bug_kind_by_name(kind) == BUG_KIND_COUNT)
    return false;
  b->kinds |= 1u << bug_kind_by_name(kind);
  return add(b, line);
}

bool baseline_read(struct baseline *b, const char *path, char *error, size_t error_size)
{
  *b = (struct baseline){0};
  if (titled_lines_read(path, FIRST_LINE, take_line, b,
                        "this is no line of a baseline (heddle bugs --write-baseline writes one)", error, error_size))
    return true;
  baseline_free(b);
  return false;
}

void baseline_free(struct baseline *b)
{
  free(b->identity);
  *b = (struct baseline){0};
}

bool baseline_has(const struct baseline *b, const struct bug_identity *identity)
{
  for (size_t i = 0; i < b->count; i++)
    if (!strcmp(b->identity[i], identity->lasting))
      return true;
  return false;
}

bool baseline_write(const struct known_bugs *known, const char *path, char *error, size_t error_size)
{
  struct output_file output;
  if (!output_file_open(&output, path, FILE_BASELINE, error, error_size))
    return false;
  fputs(FIRST_LINE ": bugs that are known; see --baseline\n", output.file);
  for (size_t i = 0; i < known->count; i++)
    if (known->bug[i].state != BUG_PASSES)
      fprintf(output.file, "%s %s %s  %s\n", known->bug[i].identity.lasting, known->bug[i].kind, known->bug[i].message,
              known->bug[i].where);
  return output_file_close(&output, error, error_size);
}
