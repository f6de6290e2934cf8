/* SPDX-License-Identifier: Apache-2.0
 *
 * What the rules found: a place, a sentence, and the places on the way to it. Loops that have a bound are told as well,
 * as what they are. A finding has a key made of names, not of lines, by which a baseline knows it: the rule, the file
 * as seen from the project's folder, the functions, and what it is about. Several may have the same one.
 */
#ifndef HEDDLE_LINT_LINT_FINDING_H
#define HEDDLE_LINT_LINT_FINDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Why a finding is no reason to fail. */
enum finding_state {
  FINDING_NEW,        /* it is one */
  FINDING_BOUNDED,    /* nothing is wrong there */
  FINDING_SUPPRESSED, /* a comment says so */
  FINDING_KNOWN,      /* the baseline has it */
  FINDING_UNCHANGED,  /* it is not in the lines that were changed */
  FINDING_STATES
};
extern const char *const finding_state_name[FINDING_STATES];

enum finding_place_kind { PLACE_CALL, PLACE_LOOP, PLACE_WHY };

struct finding_place {
  enum finding_place_kind kind;
  char *file, *function, *callee; /* callee: of a CALL */
  uint32_t line, last;            /* last: of a LOOP */
  bool may;                       /* a CALL through a pointer */
  char *text;                     /* a sentence */
};

struct lint_finding {
  unsigned rule; /* row of the table */
  enum finding_state state;
  char *file, *function;
  uint32_t line;
  char *message;
  struct finding_place *place;
  size_t places;
  uint64_t key;
  char *fix_old, *fix_new; /* what would mend it (lint_fix.h), NULL for nothing: a line of the file, and its place */
  uint32_t fix_line;
  /* Of loops: */
  const char *loop; /* its kind; NULL: it is about no loop */
  char *condition;
  bool total, live; /* bounded */
  unsigned total_pattern, live_pattern;
  bool may;
};

/* Why something may be there that is not told. */
enum lint_notice_kind {
  NOTICE_LOST,    /* a source could not be read */
  NOTICE_PARTLY,  /* it has an error: not all of it was understood */
  NOTICE_LARGE,   /* a function was given up */
  NOTICE_COMMENT, /* a comment ignores a rule that does not exist */
  NOTICE_KINDS
};
extern const char *const lint_notice_name[NOTICE_KINDS];

struct lint_notice {
  enum lint_notice_kind kind;
  char *text;
};

/* All zero is an empty list. */
struct findings {
  struct lint_finding *finding;
  size_t count, room;
  struct lint_notice *notice;
  size_t notices, notice_room;
  bool failed; /* no memory left */
};

/* A new one at the end; NULL: no memory. */
struct lint_finding *findings_add(struct findings *f);
void finding_clear(struct lint_finding *f);
void findings_close(struct findings *f);

/* A text that the finding owns. */
__attribute__((format(printf, 2, 3))) char *finding_text(struct findings *f, const char *format, ...);
/* Its texts are taken. */
void finding_add_place(struct findings *f, struct lint_finding *finding, struct finding_place place);

/* By file, line, rule. */
void findings_sort(struct findings *f);

/* Those in whose lines, or in the line before, a comment says `heddle-lint: ignore`, alone or with names of rules. A
 * name that none of the rules has is a notice. */
void findings_suppress(struct findings *f, const char *(*rule_name)(unsigned rule), unsigned rules);

/* The rules make keys without files: their paths below the folder, with '/' at its end, are added here. Of files
 * elsewhere, which may be in other places on other machines, the last name. */
void findings_add_files_to_keys(struct findings *f, const char *folder);

/* A baseline: keys in a file, one for each finding, so that of three with a key of which it has two, one is new. Both:
 * false with one line in error. */
bool findings_known(struct findings *f, const char *path, char *error, size_t error_size);
bool findings_write_baseline(const struct findings *f, const char *path, const char *(*rule_name)(unsigned rule),
                             char *error, size_t error_size);

size_t findings_in(const struct findings *f, enum finding_state state);

__attribute__((format(printf, 3, 4))) void findings_notice(struct findings *f, enum lint_notice_kind kind,
                                                           const char *format, ...);

#endif
