/* SPDX-License-Identifier: Apache-2.0
 *
 * A folder of heddle's own, below TMPDIR or /tmp, for what is made meanwhile and is nobody's result.
 */
#ifndef HEDDLE_FILE_WORK_FOLDER_H
#define HEDDLE_FILE_WORK_FOLDER_H

#include <limits.h>
#include <stdbool.h>

/* Makes one, named after what it is for. False, with errno: there is none, and the name is empty. */
bool work_folder_make(char folder[PATH_MAX], const char *purpose);

/* Removes it with all that is in it; links are not followed. The name is empty then; an empty one is no folder. */
void work_folder_remove(char folder[PATH_MAX]);

#endif
