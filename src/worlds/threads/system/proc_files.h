/* SPDX-License-Identifier: Apache-2.0
 *
 * Files of /proc that tell of the process; see proc_files.c.
 */
#ifndef HEDDLE_RUNTIME_PROC_FILES_H
#define HEDDLE_RUNTIME_PROC_FILES_H

#include "worlds/threads/system/call.h"

/* Such a file is opened, or the folder of threads read: a result, or UNKNOWN if the call does something else. */
long proc_file_call(const struct call *call);

#endif
