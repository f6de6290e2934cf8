/* SPDX-License-Identifier: Apache-2.0
 *
 * Memory as a file without a name, to be shared with processes that get its descriptor.
 */
#ifndef HEDDLE_SESSION_MEMORY_FILE_H
#define HEDDLE_SESSION_MEMORY_FILE_H

#include <stdint.h>

/* The descriptor, closed on exec; -1 with errno. Where memfd_create is denied, a file that is in no folder. */
int memory_file(const char *name, uint64_t size);

#endif
