/* SPDX-License-Identifier: Apache-2.0
 *
 * Where paths lead, over the real tree; see overlay_path.c.
 */
#ifndef HEDDLE_RUNTIME_OVERLAY_PATH_H
#define HEDDLE_RUNTIME_OVERLAY_PATH_H

#include "worlds/threads/kernel/overlay_tree.h"

/* How a path ends, as far as it matters. */
enum last { LAST_NAME, LAST_DOT, LAST_DOTDOT, LAST_ROOT };

struct file_place {
  node_id folder; /* where the last name is */
  node_id node;   /* what is there; 0: nothing */
  char name[NAME_MOST + 1];
  enum last last;
  bool slash;          /* behind the last name */
  const char *outside; /* not for the overlay: a path of the kernel's own files, good until the next walk but one */
};

/* NAME_ITSELF: whatever stands behind the last name, it is what the call is about, not where it leads. NO_FOLDER: the
 * last name is to be made, if it is not there, and not as a folder. */
enum { FOLLOW_LAST = 1, EMPTY_IS_FOLDER = 2, NAME_ITSELF = 4, NO_FOLDER = 8 };

/* From the folder of the descriptor (AT_FDCWD: the working one). 0 or -errno; a last name that is not there is no
 * error. */
long path_walk(long dirfd, const char *path, unsigned how, struct file_place *out);
/* The same, for a place that must be there. */
long path_find(long dirfd, const char *path, unsigned how, struct file_place *out);

/* What the user may do with it: R_OK, W_OK, X_OK. As who he really is (access()) or as whom he acts. 0 or -errno. */
long node_permits(node_id id, int want, bool really);
bool user_is_root(void);
bool user_owns(node_id id);
/* Whether a name may be made in the folder, or taken away from it. 0 or -errno. */
long folder_permits(node_id folder);
long folder_permits_removal(node_id folder, node_id victim);

/* The working folder, which may be there only in the overlay. */
node_id working_folder(void);
long working_folder_set(node_id folder);
void working_folder_reset(void);

/* The node a directory descriptor or an AT_EMPTY_PATH descriptor is of, made if the kernel knows it; 0: not a file. */
node_id node_of_open(long fd);
/* The descriptor that a path in /proc or /dev names; -1: it is none. */
long descriptor_in_path(const char *path);

#endif
