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

/* The description becomes an end of its pipe. */
void pipe_end_added(const struct description *d);

/* ---- FIFOs (fifo.c) ---- */

/* Opens an end of the FIFO that is this file: a number, or -errno. Waits for the other end unless it is not to block.
 */
long fifo_open(uint16_t node, long flags, uintptr_t pc);
/* Whether one that waits to be an end has found the other. */
bool fifo_has_partner(const struct description *d);
/* The file of a description that is an end of a FIFO; 0: it is none. */
uint16_t fifo_node(const struct description *d);
/* Some end of it is open, or about to be. */
bool fifo_is_open(uint16_t node);
/* Only somebody outside the program could end a wait for it: all of its own have both ends, and nobody ever came for
 * one of them. */
bool fifo_waits_outside(const struct description *d);
/* The same of a wait for the other end: nobody of the program ever came for that. */
bool fifo_opens_to_outside(const struct description *d);

#endif
