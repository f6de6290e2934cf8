/* SPDX-License-Identifier: Apache-2.0
 *
 * Memory of the runtime's own.
 */
#ifndef HEDDLE_RUNTIME_PRIVATE_MEMORY_H
#define HEDDLE_RUNTIME_PRIVATE_MEMORY_H

#include <stddef.h>
#include <stdint.h>

/* Zeroed memory of the runtime's own: never snapshotted, never freed. Address space only until touched. */
void *private_memory(size_t size);
#define PRIVATE_ADDRESS UINT64_C(0x280000000000)
#define PRIVATE_SIZE (UINT64_C(1) << 40)

#endif
