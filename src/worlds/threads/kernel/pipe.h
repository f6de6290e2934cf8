/* SPDX-License-Identifier: Apache-2.0
 *
 * Pipes and FIFOs; see pipe.c.
 */
#ifndef HEDDLE_RUNTIME_PIPE_H
#define HEDDLE_RUNTIME_PIPE_H

#include "worlds/threads/kernel/kernel.h"

/* F_SETPIPE_SZ and F_GETPIPE_SZ: the capacity, or -errno. */
long pipe_set_size(struct description *d, long size);
long pipe_size(const struct description *d);
size_t pipe_room(const struct description *d);
/* What it would give, which stays in it: how many bytes, or -EAGAIN. */
long pipe_look(const struct description *d, void *to, size_t size);

#endif
