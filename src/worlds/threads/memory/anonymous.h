/* SPDX-License-Identifier: Apache-2.0
 *
 * Shared memory without a name, mmap(MAP_SHARED | MAP_ANONYMOUS). It is of one file of the runtime's own, at offsets
 * that follow from addresses, so that a process can map what another one has without being its child.
 */
#ifndef HEDDLE_RUNTIME_ANONYMOUS_H
#define HEDDLE_RUNTIME_ANONYMOUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ANONYMOUS_ADDRESS (SEGMENTS_ADDRESS + SEGMENTS_ROOM / 2)
#define ANONYMOUS_ROOM (SEGMENTS_ROOM / 2)

/* Once, in the first process: the descriptor, to be kept out of the program's way; negative: there is none. */
long anonymous_file(void);
void anonymous_boot(int fd);
/* There is a file, and the place is one that shared_address() gave out. */
bool anonymous_may_be(uintptr_t at);
/* As mmap(): the address or -errno. */
long anonymous_map(uintptr_t at, size_t size, long protection);
/* Everything up to there is zero again. */
void anonymous_clear(uintptr_t end);

#endif
