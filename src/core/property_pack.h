/* SPDX-License-Identifier: Apache-2.0
 *
 * A set of properties without the room that it does not use: for files (heddle spec).
 */
#ifndef HEDDLE_CORE_PROPERTY_PACK_H
#define HEDDLE_CORE_PROPERTY_PACK_H

#include "core/property.h"
#include <stddef.h>

/* How many bytes it has; they are written if there is room for all. */
size_t property_pack(const struct property_set *set, unsigned char *out, size_t size);
/* False: it is of another version of heddle, or broken. The set must be empty. */
bool property_unpack(const unsigned char *bytes, size_t size, struct property_set *set);

#endif
