/* SPDX-License-Identifier: Apache-2.0
 *
 * Files that tell of the process itself; see own_files.c.
 */
#ifndef HEDDLE_RUNTIME_OWN_FILES_H
#define HEDDLE_RUNTIME_OWN_FILES_H

#include "worlds/threads/system/call.h"
#include <sys/stat.h>

#define OWN_PATH 256
/* The path of the call, if it is one of those, becomes the one that the kernel knows, in out. */
void name_own_files(struct call *call, char out[OWN_PATH]);
/* The name of the process by a link: a result, or UNKNOWN if the call asks for something else. */
long read_own_number(const struct call *call);
/* stat() and its like, with dates in virtual time. */
long stat_call(const struct call *call);
/* Its dates, as the program is to see them. own: of a file that heddle made for the program. */
void date_stat(struct stat *s, bool own);

#endif
