/* SPDX-License-Identifier: Apache-2.0
 *
 * What is known in an output folder: its bugs, with names that last (bank-1: bank-1.hd, bank-1.html …), and the
 * programs that heddle compiled into it. A bug that is found again keeps its name; the newest stand first.
 *
 * It is the file bugs.txt of the folder, lines of words with tabulators between, and is changed under a lock on the
 * folder, so two heddles in one folder do not get in each other's way. Who changes it opens it, changes it, saves and
 * closes it at once.
 */
#ifndef HEDDLE_CLI_KNOWN_BUGS_H
#define HEDDLE_CLI_KNOWN_BUGS_H

#include "debuginfo/symbols.h"
#include "report/story/bug_identity.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What the last replay of a bug showed.  X(constant, word) */
#define HD_BUG_STATES(X)                                                                                               \
  X(FAILS, "fails")                                                                                                    \
  X(PASSES, "passes") /* its schedule does not show it any more */                                                     \
  X(UNCLEAR, "unclear")

enum bug_state {
#define X(id, word) BUG_##id,
  HD_BUG_STATES(X)
#undef X
      BUG_STATES
};
extern const char *const bug_state_word[BUG_STATES];

struct known_bug {
  char *name; /* of its files, without ending; malloc'ed, as are the texts below */
  struct bug_identity identity;
  enum bug_state state;
  int64_t first, last; /* search that saw it: milliseconds since 1970 */
  uint64_t searches;   /* that saw it */
  char *build;         /* fingerprint of the program then */
  char *kind, *program, *where, *message;
};

/* A program that heddle compiled into the folder. */
struct known_program {
  char *name, *source, *build;
};

struct known_bugs {
  char *path;
  int lock; /* the folder, open; -1: it is only read */
  struct known_bug *bug;
  size_t count;
  struct known_program *program;
  size_t program_count;
};

/* Reads what is known; nothing is if there is no such file. change: nobody else changes it until it is closed. False:
 * one line in error, nothing is known, and nothing must be closed. */
bool known_bugs_open(struct known_bugs *known, const char *folder, bool change, char *error, size_t error_size);
bool known_bugs_save(const struct known_bugs *known, char *error, size_t error_size);
void known_bugs_close(struct known_bugs *known);

/* The bug that this one is: by its exact identity; by the lasting one if the program was rebuilt since, and this search
 * has not seen that bug already; of several the one with the same words. NULL: it is new. */
struct known_bug *known_bugs_find(const struct known_bugs *known, const struct known_bug *seen);

/* Takes note of a bug that a search saw (seen->last), under seen->name; copies all. False: no memory. */
bool known_bugs_note(struct known_bugs *known, const struct known_bug *seen);

/* The program made from that source, NULL for none; and takes note of one. */
struct known_program *known_programs_find(const struct known_bugs *known, const char *source);
bool known_programs_note(struct known_bugs *known, const struct known_program *program);

/* Forgets the bugs that were not seen for the longest time, with their files, until at most so many are left. Returns
 * how many it forgot. */
size_t known_bugs_trim(struct known_bugs *known, const char *folder, size_t most);

/* A file of the folder by the name of a bug and an ending, malloc'ed; NULL: no memory. */
char *known_bugs_file(const char *folder, const char *name, const char *ending);

/* Now, as first and last count it. */
int64_t now_on_calendar(void);

#endif
