/* SPDX-License-Identifier: Apache-2.0
 *
 * Text with a checksum, see the header.
 */
#include "file/sealed.h"
#include "core/hash.h"
#include <inttypes.h>
#include <string.h>

#define WORD "\nchecksum "
enum { DIGITS = 16 };

void seal_begin(FILE *out, const char *title)
{
  fprintf(out, "%s" WORD "%0*d\n", title, DIGITS, 0);
}

/* Of a text whose digits begin there. */
static void checksum(const char *text, size_t bytes, size_t digits, char out[DIGITS + 1])
{
  uint64_t hash = hash_bytes(HASH_START, text, digits);
  hash = hash_bytes(hash, text + digits + DIGITS, bytes - digits - DIGITS);
  snprintf(out, DIGITS + 1, "%016" PRIx64, hash);
}

void seal(char *text, size_t bytes)
{
  char digits[DIGITS + 1];
  const size_t at = strcspn(text, "\n") + strlen(WORD);
  checksum(text, bytes, at, digits);
  memcpy(text + at, digits, DIGITS);
}

enum seal_state seal_check(const char *text, size_t bytes, const char *title, size_t *rest)
{
  char digits[DIGITS + 1];
  const size_t length = strlen(title), at = length + strlen(WORD);
  if (bytes <= length || memcmp(text, title, length) != 0 || text[length] != '\n')
    return SEAL_OF_ANOTHER;
  if (bytes <= at + DIGITS || memcmp(text + length, WORD, strlen(WORD)) != 0 || text[at + DIGITS] != '\n')
    return SEAL_BROKEN;
  checksum(text, bytes, at, digits);
  *rest = at + DIGITS + 1;
  return memcmp(text + at, digits, DIGITS) ? SEAL_BROKEN : SEAL_HOLDS;
}
