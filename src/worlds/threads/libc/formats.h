/* SPDX-License-Identifier: Apache-2.0
 *
 * Formats of printf and scanf: what they make of the program's memory; see formats.c.
 */
#ifndef HEDDLE_RUNTIME_FORMATS_H
#define HEDDLE_RUNTIME_FORMATS_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FORMAT_ARGUMENTS 64

/* One conversion of a format that has to do with memory. */
struct conversion {
  uint8_t argument; /* the pointer, counted from 0 */
  bool text;        /* of units up to an end; else a value */
  bool counts;      /* %n: does not count as a conversion itself */
  bool allocates;   /* scanf: leaves a pointer to memory of its own */
  bool exact;       /* scanf: %c, text without an end */
  uint8_t size;     /* of a value, or of a unit */
  int most;         /* units at most, -1: no limit */
  int limit_at;     /* printf: the argument that says so instead, -1: none */
};

/* How an argument is passed. */
enum argument_class { ARGUMENT_WORD, ARGUMENT_DOUBLE, ARGUMENT_LONG_DOUBLE };

struct format {
  struct conversion conversion[FORMAT_ARGUMENTS];
  uint8_t class[FORMAT_ARGUMENTS];
  unsigned conversions, arguments;
  bool understood; /* false: there is more that is not listed */
};

/* unit: of the format itself, 1 or 4. */
void parse_printf(struct format *f, const void *format, size_t unit);
/* old: %as allocates, as it did before C99. Into out, if there is room for it, goes the same format, in which each text
 * is allocated by scanf itself. */
void parse_scanf(struct format *f, const void *format, size_t unit, bool old, void *out, size_t room);

#endif
