/* SPDX-License-Identifier: Apache-2.0
 *
 * What is to be known of sources, line by line: functions, what they use and call, what is under locks, and what macros
 * and declarations stand where. Collected from translation units one after the other; what several of them include is
 * told once. Only files below one folder count. Plain data: who reads it needs no libclang.
 */
#ifndef HEDDLE_FRONTEND_SOURCE_FACTS_H
#define HEDDLE_FRONTEND_SOURCE_FACTS_H

#include "frontend/compile_commands.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Instead of what is in the file at that path. */
struct source_text {
  const char *path;
  const char *text;
  size_t length;
};

/* Files and names are numbers, from 0, of texts in the list of the facts. */
struct source_function {
  uint64_t id; /* the same in all translation units */
  uint32_t file, name;
  uint32_t first, last; /* lines */
};

/* Something that is in a line. */
enum source_kind {
  SOURCE_CODE,      /* an expression or a statement */
  SOURCE_STATEMENT, /* a statement begins */
  SOURCE_USE,       /* of a field: what, and id is 0, or of a global variable, and id is 1 */
  SOURCE_CALL,      /* of the function with that id */
  SOURCE_DECLARED,  /* a field or global variable: what */
  SOURCE_MACRO,     /* the macro is defined in this line, and used in: what (a file), id (a line) */
  SOURCE_KINDS
};

struct source_item {
  uint32_t file, line;
  uint32_t kind; /* enum source_kind */
  uint32_t what;
  uint64_t id;
};

/* Lines that are under a lock, from the one that takes it to the one that releases it; or a whole function in which
 * these do not pair. */
struct source_region {
  uint32_t file, first, last;
};

struct source_facts {
  char *folder; /* what counts is below it; absolute, resolved */
  char **text;
  size_t texts;
  struct source_function *function;
  size_t functions;
  struct source_item *item; /* sorted by file, line, kind, once source_facts_finish() was called */
  size_t items;
  struct source_region *region;
  size_t regions;
  bool failed;    /* no memory left */
  uint32_t *slot; /* of texts by their hashes: numbers + 1 */
  size_t slots;
  size_t text_room, function_room, item_room, region_room;
};

/* An empty one for the folder; it is copied. */
bool source_facts_open(struct source_facts *f, const char *folder);
void source_facts_close(struct source_facts *f);

/* Adds what a source and what it includes say. other: the text of a file, instead of what is in it; may be NULL. False,
 * with one line in error. problem, of that size too, gets the first error in the source itself, empty for none. */
bool source_facts_add(struct source_facts *f, const struct compile_command *command, const struct source_text *other,
                      char *problem, char *error, size_t error_size);
/* All is added: false if no memory was left. */
bool source_facts_finish(struct source_facts *f);

/* The number of a text; UINT32_MAX: there is none. */
uint32_t source_facts_find(const struct source_facts *f, const char *text);

/* The items of a line, or of lines from the first to the last: the first of them, *count of them. */
const struct source_item *source_facts_lines(const struct source_facts *f, uint32_t file, uint32_t first, uint32_t last,
                                             size_t *count);
/* The function that has the line; NULL: none. What is inside of another one is a part of that. */
const struct source_function *source_facts_function(const struct source_facts *f, uint32_t file, uint32_t line);

/* ---- for what collects them ---- */

uint32_t source_facts_text(struct source_facts *f, const char *text);
void source_facts_put_item(struct source_facts *f, struct source_item item);
void source_facts_put_function(struct source_facts *f, struct source_function function);
void source_facts_put_region(struct source_facts *f, struct source_region region);

#endif
