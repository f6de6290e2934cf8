/* SPDX-License-Identifier: Apache-2.0
 *
 * The identity of a search: everything that must be the same for a checkpoint of it to be of use, part by part, so that
 * whoever is refused learns what differs. Values of variables of the environment, of arguments and of standard input
 * may be secret: they are kept as hashes.
 *
 * As text it is a line `parts N`, then N lines of three words: kind, name, value.
 */
#ifndef HEDDLE_TRACE_IDENTITY_H
#define HEDDLE_TRACE_IDENTITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* X(kind, word in the file); they are compared in this order. */
#define HD_IDENTITY_PARTS(X)                                                                                           \
  X(PROGRAM, "program")     /* the file, its content */                                                                \
  X(LIBRARY, "library")     /* each that is loaded at the start */                                                     \
  X(ARGUMENTS, "arguments") /* all of them, the program's name among them */                                           \
  X(INPUT, "input")         /* all of standard input */                                                                \
  X(SETTING, "setting")     /* each that changes what a search means (core/settings.h) */                              \
  X(MEANING, "meaning")     /* all of them together, should their texts not show a difference */                       \
  X(HEDDLE, "heddle")       /* the runtime and the command line */                                                     \
  X(FOLDER, "folder")       /* the program runs in it */                                                               \
  X(VARIABLE, "variable")   /* each of the environment */                                                              \
  X(STACK, "stack")         /* bytes above main's stack */                                                             \
  X(PROCESSOR, "processor") /* what it can do */                                                                       \
  X(IGNORED, "ignored")     /* a variable that may differ */

enum identity_kind {
#define X(kind, word) IDENTITY_##kind,
  HD_IDENTITY_PARTS(X)
#undef X
      IDENTITY_KINDS
};

#define IDENTITY_ONLY_ONE "-" /* the name of a part that has no others of its kind */

struct identity {
  struct identity_part {
    enum identity_kind kind;
    char *name;
    char *value;
  } * part;
  size_t count;
  bool failed; /* no memory left for a part; nothing is the same then */
};

/* Copies both. One of that kind and name that is there is made one with it. */
void identity_add(struct identity *identity, enum identity_kind kind, const char *name, const char *value);
void identity_add_hash(struct identity *identity, enum identity_kind kind, const char *name, uint64_t hash);
void identity_free(struct identity *identity);

/* The variable may differ, from now on. */
void identity_ignore(struct identity *identity, const char *variable);
/* So may those that `other` ignores. */
void identity_ignore_as(struct identity *identity, const struct identity *other);

/* False: it could not be written, or is no such text. Zero before reading. */
bool identity_write(const struct identity *identity, FILE *out);
bool identity_read(struct identity *identity, FILE *in);

/* The same search? If not, what differs, as a sentence without its full stop. */
bool identity_is_same(const struct identity *then, const struct identity *now, char *difference, size_t size);

#endif
