/* SPDX-License-Identifier: Apache-2.0
 *
 * The text of an assembler file while hooks are put into it: its lines, what is known of each, and what is written.
 * For the files of assemble/ that share it: insert_hooks.c, which writes, and unannounced.c, which marks lines.
 */
#ifndef HEDDLE_ASSEMBLE_INSERTION_H
#define HEDDLE_ASSEMBLE_INSERTION_H

#include "assemble/insert_hooks.h"
#include "assemble/statement.h"

struct text_line {
  struct span text;
  bool written; /* part of inline assembly */
  bool dropped;
  enum { ANNOUNCED, UNANNOUNCED, EXEMPT } access; /* whether the compiler's instruction needs a hook of ours */
};

struct assembly_place {
  struct span file;
  unsigned long line; /* 0: not known */
};

struct insertion {
  struct text_line *line;
  size_t lines;
  struct span *file; /* by the number of .file */
  size_t files;
  struct assembly_place place;
  const char *name;
  enum hooking how;
  FILE *out;
  struct hooked *result;
  FILE *notes; /* what follows the text */
  unsigned texts;
  bool noted;            /* one note of a file is enough */
  bool macros;           /* some are defined, and a name may be one of them */
  bool elsewhere;        /* the inline assembly is in another section at the moment */
  bool has_hooks;        /* the compiler was told to put some */
  bool plain;            /* the accesses that are hooked at the moment are no synchronisation */
  struct span *constant; /* names of what never changes, in order */
  size_t constants;
};

/* ---- accesses without a hook (unannounced.c) ---- */

/* Finds the names of what never changes, to which nobody need announce an access; false: no memory left. */
bool constants_find(struct insertion *work);
/* Marks the accesses of a compiler's function that have no hook. True if there are any. */
bool find_unannounced(struct insertion *work, size_t from, size_t to);

#endif
