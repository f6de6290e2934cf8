/* SPDX-License-Identifier: Apache-2.0
 *
 * The program under test: found, looked at, and with all it is given at each start.
 *
 * Everything that can be known to be wrong before the program is started is told here, in one line. Nothing here starts
 * it.
 */
#ifndef HEDDLE_SESSION_TARGET_H
#define HEDDLE_SESSION_TARGET_H

#include <stdbool.h>
#include <stddef.h>

struct setting_names;

struct target {
  char *path;         /* what is executed */
  const char *name;   /* argv[0] of the program */
  const char *folder; /* that it runs in; NULL: ours */
  const char *label;  /* what the user called it, for messages */
  char **args;        /* the program's own arguments, without argv[0] */
  size_t arg_count;
  char *input; /* standard input, whole */
  size_t input_bytes;
  const char *client; /* a command that is started when it waits for the outside (--client); NULL for none */
  const char *init;   /* a command that is run before each execution (--init); NULL for none */
  const struct setting_names *variables; /* of the environment, that it gets beside what libraries want; NULL: all */
  bool stress_test;                      /* of heddle_stress.h */
  const char *sanitizer;                 /* how the name of the sanitizer's library begins that it needs; NULL: none */
  struct changed_map *changed;           /* what was changed in it (core/changed.h), malloc'ed; NULL: not known */
  struct property_set *properties; /* that are looked at while it runs (core/property.h), malloc'ed; NULL for none */
  unsigned own_properties;         /* of these, the first: they are the user's, and not of a library */
};

/* Finds the program: a path, a file of that name here, or one in PATH; and checks that it can be run: a dynamically
 * linked ELF executable for this machine. False: an error was printed (status 2). The strings of the name and of the
 * arguments are borrowed. */
bool target_find(struct target *target, const char *name, char **args, size_t arg_count);
/* And that heddle can control it: no sanitizer is where heddle would be. */
bool target_open(struct target *target, const char *name, char **args, size_t arg_count);
void target_close(struct target *target);

/* Reads all of standard input, unless it is a terminal; or all of a file. False: an error was printed. */
bool target_read_stdin(struct target *target);
bool target_read_input(struct target *target, const char *path);

#endif
