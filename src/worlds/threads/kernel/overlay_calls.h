/* SPDX-License-Identifier: Apache-2.0
 *
 * What makes each call on files of the overlay; which those are is in the tables of overlay_calls.c. Each gives back a
 * result or -errno, or UNKNOWN if the real thing is to be asked.
 */
#ifndef HEDDLE_RUNTIME_OVERLAY_CALLS_H
#define HEDDLE_RUNTIME_OVERLAY_CALLS_H

#include "worlds/threads/kernel/overlay_path.h"

/* Calls on one file that is there, found by a path or by a descriptor. flags: AT_*, if the call has such. */
typedef long node_call(const struct call *call, node_id node, long flags);

/* ---- looking (overlay_look.c) ---- */

node_call look_stat, look_statx, look_access, look_link, look_attribute, list_attributes;
node_call watch_file; /* inotify.c */
void fill_stat(node_id id, struct stat *out);
bool is_as_real(node_id id); /* the kernel says the same of it */

/* ---- changing what is said of a file (overlay_attributes.c) ---- */

node_call change_mode, change_owner, change_times, change_attribute, change_size, change_folder;

/* ---- names (overlay_names.c) ---- */

call_maker make_folder_call, make_node_call, remove_folder_call, unlink_call, rename_call, link_call, symlink_call,
    working_folder_call;
node_id linked_node(const struct call *c); /* what link() gives another name; 0: nothing */
/* It gets or loses a name now, and a name of it becomes another (overlay_calls.c). */
void links_change(node_id node);
void name_moves(node_id node);
bool folder_is_empty(node_id folder); /* overlay_list.c */
/* A new file there, with all that follows for its folder; and the mode it gets by what the program wants. */
node_id file_made(const struct file_place *place, uint32_t mode);
uint32_t mode_of_new(long wanted);

/* ---- names of sockets (overlay_sockets.c) ---- */

/* True: it is over, with that result. If not, the address may be another now. */
bool socket_path_call(struct call *call, long *result);

/* ---- entries of a folder (overlay_list.c) ---- */

long list_call(const struct call *call, node_id folder);
long list_seek(const struct call *call, node_id folder);
void lists_reset(void);

/* ---- what is in a file (overlay_use.c) ---- */

bool is_use(long number);
bool use_call(const struct call *call, long *result);
bool use_footprint(const struct call *call, uint64_t *reads, uint64_t *changes);
void use_reset(void);

#endif
