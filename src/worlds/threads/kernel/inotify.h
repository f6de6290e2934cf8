/* SPDX-License-Identifier: Apache-2.0
 *
 * Who watches files, and what they are told; see inotify.c.
 */
#ifndef HEDDLE_RUNTIME_INOTIFY_H
#define HEDDLE_RUNTIME_INOTIFY_H

#include "worlds/threads/kernel/overlay_tree.h"

/* Somebody does: whatever is done to files is put into queues, in its order. */
bool files_are_watched(void);
/* Something (IN_*) was done to a file, which its folder hears of, too; or to a name in a folder, of which the file
 * itself hears nothing. moved: what a pair of such has in common, 0: it is none. */
void notice_file(node_id node, uint32_t what);
void notice_name(node_id folder, const char *name, uint32_t what, bool is_folder, uint32_t moved);
/* The file hears of it, its folder does not. */
void notice_itself(node_id node, uint32_t what);
/* A number for the next pair. */
uint32_t notice_moves(void);
/* It lost a name. And when that has been told of: if it was the last one, nobody will hear of it again, once nobody has
 * it open. */
void notice_unlinked(node_id node);
void notice_forgotten(node_id node);
/* The same for the file that a descriptor is of; it is about to be closed, perhaps for good. */
void notice_descriptor(long fd, uint32_t what);
void notice_closing(long fd);
/* Some watch is for it, or for its folder. */
bool is_watched(node_id node);
void inotify_reset(void);

#endif
