/* SPDX-License-Identifier: Apache-2.0
 *
 * Versions of file formats, see the header.
 */
#include "file/format_version.h"

#include <ctype.h>
#include <string.h>

#define VERSION_MOST 1000000u /* whatever comes behind it is as new */
#define HEAD_BYTES 128

/* The number at the beginning; 0 if there is none. */
static unsigned number_of(const char *text, size_t bytes)
{
  unsigned number = 0;
  for (size_t i = 0; i < bytes && isdigit((unsigned char)text[i]) && number < VERSION_MOST; i++)
    number = number * 10 + (unsigned)(text[i] - '0');
  return number;
}

bool is_of_another_version(const char *text, size_t bytes, const char *start, char *error, size_t error_size)
{
  const size_t words = strcspn(start, "0123456789");
  if (bytes <= words || memcmp(text, start, words) != 0)
    return false;
  const unsigned version = number_of(text + words, bytes - words),
                 own = number_of(start + words, strlen(start + words));
  if (version == 0 || version == own)
    return false;
  snprintf(error, error_size, "version %u was made by %s heddle; this one reads version %u", version,
           version > own ? "a newer" : "an older", own);
  return true;
}

bool file_is_of_another_version(FILE *file, const char *start, char *error, size_t error_size)
{
  char head[HEAD_BYTES];
  const long at = ftell(file);
  const size_t bytes = fread(head, 1, sizeof head, file);
  fseek(file, at, SEEK_SET);
  return is_of_another_version(head, bytes, start, error, error_size);
}
