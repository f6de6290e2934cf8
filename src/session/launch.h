/* SPDX-License-Identifier: Apache-2.0
 *
 * What the tested program is started with, under control: environment and descriptors.
 *
 * Every start looks the same to the program: same arguments, same environment byte for byte, same descriptors, no
 * address randomisation, its own session. All that can be prepared once is. The stack begins at the same address,
 * however much arguments and environment there are: the room above it is filled up (to 64 KiB, and in steps of that
 * beyond).
 */
#ifndef HEDDLE_SESSION_LAUNCH_H
#define HEDDLE_SESSION_LAUNCH_H

#include "session/child.h"
#include "session/target.h"
#include <stdbool.h>

/* Where the program finds heddle's descriptors: the same numbers at every start, out of the way of its own. */
enum { CONTROL_FD = 100, SHADOW_FD = 101, LIBRARY_FD = 102, OUTPUT_FD = 103, PLAN_FD = 104, FIRST_OWN_FD = 110 };

struct launch {
  const char *path;
  const char *folder; /* NULL: ours */
  char **argv;        /* NULL-terminated */
  char **envp;        /* NULL-terminated: ours, the user's from `users` on, by name, and what fills the room */
  size_t users;
  size_t room;        /* bytes of arguments and environment above main's stack */
  char *control_text; /* the entries of envp that are ours */
  char *preload_text;
  char *room_text;
  char *library;
  int null_fd;
  int library_fd; /* -1; else passed on, when the library's path cannot stand in LD_PRELOAD */
  bool scattered; /* the system puts the parts of each process elsewhere, and that cannot be switched off */
};

/* Descriptors of heddle's own that go to the program must be moved above these; see launch_high_fd. */
int launch_high_fd(int fd);

/* False: an error was printed (status 3), and nothing is left to close. */
bool launch_open(struct launch *launch, const struct target *target);
void launch_close(struct launch *launch);

/* The program with these descriptors; output_fd becomes its standard output and error. */
struct child launch_child(const struct launch *launch, int control_fd, int shadow_fd, int output_fd);

/* For a debugger: its child inherits the descriptors under the numbers the program expects. False: errno says why. */
bool launch_share(const struct launch *launch, int control_fd, int shadow_fd, int output_fd);

#endif
