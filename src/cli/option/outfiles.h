/* SPDX-License-Identifier: Apache-2.0
 *
 * Names in the output folder: `bank-1.hd`, and next to it what belongs to it (`bank-1`, the program, when heddle
 * compiled it; `bank-1.input`, its standard input; `bank-1.html`, its page). A name that is taken is never used
 * again but for the same bug, or for the program of the same sources (cli/find/known_bugs.h). */
#ifndef HEDDLE_CLI_OUTFILES_H
#define HEDDLE_CLI_OUTFILES_H

#include <stdbool.h>
#include <stddef.h>

struct outfiles {
  const char *folder;
  char stem[128]; /* "bank" */
  char *program;  /* the compiled program in the folder; NULL for none */
  int in_use;     /* the program, open and locked while this heddle runs it; 0: none */
  bool replaces;  /* it took the place of an older one, which schedules name */
  char *input;    /* the input file in the folder; NULL for none */
  bool made;      /* the folder is ours: it was not there before */
};

/* The stem is made of the name of the program or the first source file. */
void outfiles_init(struct outfiles *files, const char *folder, const char *name);
/* What is written from now on is about a part of the program: "bank-reduced". */
void outfiles_name_reduced(struct outfiles *files);
void outfiles_free(struct outfiles *files);

/* Whether the folder is one, or can be made. False: an error was printed (status 2). */
bool outfiles_check(const struct outfiles *files);

/* Takes the next free name for a program to be compiled to, as an empty file; into files->program. */
bool outfiles_reserve_program(struct outfiles *files);

/* The program, once compiled, takes the place of an older one at that path, unless another heddle runs that. */
void outfiles_replace_program(struct outfiles *files, const char *older);

/* Takes it back, unless schedules name it: removes the program, and the folder if heddle made it and nothing else is in
 * it. */
void outfiles_drop_program(struct outfiles *files);

/* Makes the folder if it is not there. False: an error was printed. */
bool outfiles_make_folder(struct outfiles *files);

/* Where the corpus of the program is in the folder, which is made for it; malloc'ed. NULL: an error was printed. */
char *outfiles_corpus(struct outfiles *files);

/* The next free name for a schedule, as an empty file, malloc'ed. NULL: an error was printed. */
char *outfiles_reserve_schedule(struct outfiles *files);

/* A name for the source of a reduced test: that of the schedule of the whole one, or the next free one; in the language
 * of its source. The same. */
char *outfiles_reserve_test(struct outfiles *files, const char *schedule, const char *source);

/* Writes the program's standard input next to that schedule, once, unless it is there already; into files->input. */
bool outfiles_write_input(struct outfiles *files, const char *schedule, const void *data, size_t bytes);

#endif
