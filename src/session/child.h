/* SPDX-License-Identifier: Apache-2.0
 *
 * Starting a tested program, controlled or free: a session of its own, its descriptors, usual signals, no core files,
 * and its end when ours comes. One fast spawn: in exec mode it is done thousands of times a minute.
 */
#ifndef HEDDLE_SESSION_CHILD_H
#define HEDDLE_SESSION_CHILD_H

#include "session/target.h"
#include <stddef.h>
#include <sys/types.h>

#define CHILD_DESCRIPTORS 6

struct child {
  const char *path;
  const char *folder;  /* that it runs in; NULL: ours */
  char **argv, **envp; /* NULL-terminated */
  struct {
    int from, to;
  } descriptor[CHILD_DESCRIPTORS]; /* given to it, in this order */
  size_t descriptors;
};

/* At the start: which descriptors we were given, and so is the program. */
void child_note_inherited(void);
/* What we have opened since, or libraries for us, does not go with us into another program. */
void child_keep_own(void);

/* The process, or -1 with errno set: it could not be started. */
pid_t child_spawn(const struct child *child);

/* The same in place of the process that calls it, which is a child of parent. Returns only when it failed, with errno
 * set. */
void child_become(const struct child *child, pid_t parent);

/* The program's name and arguments, NULL-terminated, malloc'ed; the strings are borrowed. NULL: no memory. */
char **child_arguments(const struct target *target);

#endif
