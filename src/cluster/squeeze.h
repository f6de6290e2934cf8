/* SPDX-License-Identifier: Apache-2.0
 *
 * Bytes without their zeros: what a worker says of itself is a block of fixed size, nearly all of it zero. Runs of
 * zeros become their lengths, the rest stays as it is. What is to be stretched again is believed in nothing.
 */
#ifndef HEDDLE_CLUSTER_SQUEEZE_H
#define HEDDLE_CLUSTER_SQUEEZE_H

#include <stddef.h>

/* Behind `head` bytes that are left alone, for the caller; malloc'ed. NULL: no memory left. */
void *squeeze(const void *bytes, size_t size, size_t head, size_t *squeezed);

/* malloc'ed; NULL: they are damaged, or there is no memory left. */
void *stretch(const void *squeezed, size_t size, size_t *bytes);

#endif
