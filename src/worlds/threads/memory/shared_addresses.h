/* SPDX-License-Identifier: Apache-2.0
 *
 * Where memory that processes share is mapped: at one address in all of them, so that what is there has one name.
 */
#ifndef HEDDLE_RUNTIME_SHARED_ADDRESSES_H
#define HEDDLE_RUNTIME_SHARED_ADDRESSES_H

#include <stddef.h>
#include <stdint.h>

/* For so many bytes of the file behind the descriptor from the offset on, or, if that is negative, for memory of no
 * file; 0: there is no room. */
uintptr_t shared_address(int fd, uint64_t offset, size_t size);
void shared_addresses_reset(void);

#endif
