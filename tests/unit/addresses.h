/* SPDX-License-Identifier: Apache-2.0
 *
 * Where the symbols of a program lie, for tests that compile one: nm is asked once. A name may carry a suffix after a
 * dot, or that of its function before one.
 */
#ifndef HEDDLE_TESTS_ADDRESSES_H
#define HEDDLE_TESTS_ADDRESSES_H

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { SYMBOLS_MAX = 512 };

static struct {
  char name[256];
  uintptr_t value;
} symbol_table[SYMBOLS_MAX];
static size_t symbol_count;

/* From now on it is about that program. */
static void addresses_of(const char *path)
{
  char line[512], name[256], type;
  uint64_t value;
  snprintf(line, sizeof line, "nm %s", path);
  FILE *in = popen(line, "r");
  assert_non_null(in);
  symbol_count = 0;
  while (fgets(line, sizeof line, in)) {
    if (sscanf(line, "%" SCNx64 " %c %255s", &value, &type, name) != 3)
      continue;
    const char *plain =
        strncmp(name, "main.", 5) == 0 || strncmp(name, "count.", 6) == 0 ? strchr(name, '.') + 1 : name;
    assert_true(symbol_count < SYMBOLS_MAX);
    snprintf(symbol_table[symbol_count].name, sizeof symbol_table[0].name, "%s", plain);
    symbol_table[symbol_count++].value = value;
  }
  assert_int_equal(pclose(in), 0);
}

/* The address of a symbol in the file. */
static uintptr_t address(const char *symbol)
{
  const size_t length = strlen(symbol);
  for (size_t i = symbol_count; i-- > 0;) {
    const char *name = symbol_table[i].name;
    if (strncmp(name, symbol, length) == 0 && (name[length] == '\0' || name[length] == '.'))
      return symbol_table[i].value;
  }
  fail_msg("nm does not know %s", symbol);
  return 0;
}

#endif
