/* SPDX-License-Identifier: Apache-2.0
 *
 * The tree of files as the program has changed it, for the files of the overlay; see overlay_tree.c. Others know only
 * overlay.h.
 */
#ifndef HEDDLE_RUNTIME_OVERLAY_TREE_H
#define HEDDLE_RUNTIME_OVERLAY_TREE_H

#include "worlds/threads/system/call.h"
#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>

#define NAME_MOST 255  /* bytes of a name */
#define PATH_MOST 4096 /* of a path, with its end */

/* A file of any kind, by its number; 0 is none. */
typedef uint16_t node_id;
#define ROOT 1

enum mapped { MAPPED_NOT, MAPPED_TO_READ, MAPPED_TO_WRITE };
enum { TIME_ACCESSED, TIME_MODIFIED, TIME_CHANGED, TIME_BORN, NODE_TIMES };

struct file_node {
  bool used;
  bool real;            /* the real tree has it, too: by this name, in that folder */
  bool changed;         /* what is said here of it holds, not what the kernel says of the real one */
  uint8_t ends_used;    /* of a FIFO: the ends that the program opened, or tried to (fifo.c) */
  uint8_t mapped;       /* its contents are memory of the program, as well: enum mapped */
  bool attributed;      /* it has extended attributes of its own */
  bool unsynced;        /* written to since the last fsync() */
  bool shared, large;   /* several threads have read or written it; some by calls for more than a page */
  uint32_t user_thread; /* who did last, + 1 */
  uint32_t mode, user, group, links;
  uint64_t device, number, special; /* as stat() tells: of the file system, of the file, of the device that it is */
  int64_t size;                     /* of folders and links */
  struct timespec time[NODE_TIMES];
  node_id parent; /* where it is; of folders, where .. leads */
  node_id real_parent;
  char name[NAME_MOST + 1]; /* in the real tree; of others, the last one it had */
  uint32_t target;          /* new symbolic links: where they lead; sockets: the address; in the texts */
  int held;                 /* a descriptor of ours for its contents (a memfd); -1: none */
  uint8_t holder;           /* the process that made it; in others, see contents_here() */
  uint64_t held_device, held_number;
};

/* A name in a folder, where the overlay knows better than the real tree. */
struct file_entry {
  node_id folder;
  node_id node;  /* 0: there is nothing, whatever the real tree has */
  bool covers;   /* the real folder has this name */
  uint16_t next; /* in its chain; the end is 0 */
  char name[NAME_MOST + 1];
};

/* The program changed something: until then nothing here differs from the real tree. */
bool tree_changed(void);
void tree_note_change(void);

struct file_node *node_at(node_id id);
/* A new one; ends the session if there is no room. */
node_id node_new(void);
/* Of the real thing that the kernel describes so. One that has several names is one node. */
node_id node_of_real(node_id folder, const char *name, const struct stat *s);
/* A file of our own, made now by the program. */
node_id node_made(node_id folder, const char *name, uint32_t mode);
bool node_is_folder(node_id id);
void node_touch(node_id id, unsigned times); /* sets of 1 << TIME_* become now */
/* Where the real one is; good until the third call after this. */
const char *node_real_path(node_id id);
/* The name that it has there, or had last. */
const char *node_name(node_id id);
/* Where it is now to the program; false: nowhere, or too long. */
bool node_path(node_id id, char *out, size_t size);
/* Nodes that nobody needs make room, if little is left. Only between calls. */
void nodes_collect(void);

struct file_entry *entry_find(node_id folder, const char *name);
/* The name is this file from now on; covers: known to be in the real folder. */
void entry_set(node_id folder, const char *name, node_id node, bool covers);
void entry_remove(struct file_entry *entry);
/* The next after that index, from 0 on; NULL: no more. */
struct file_entry *entry_next(node_id folder, uint32_t *index);

uint32_t text_keep(const char *text, size_t size);
const char *text_at(uint32_t text);

/* The node that a descriptor is of; 0: none of these, or not known yet. s: what the kernel says of it. */
node_id node_of_descriptor(long fd, struct stat *s);
node_id node_of_identity(const struct stat *s);

/* ---- contents (overlay_contents.c) ---- */

/* Sees to a descriptor of ours for what is in the file; copies: with what the real one has. 0 or -errno. */
long contents_make(node_id id, bool copies);
/* A new description of them: a descriptor, or -errno. */
long contents_open(node_id id, long flags);
int64_t contents_size(node_id id);
void contents_drop(struct file_node *node); /* for the next file */
/* The descriptor of its contents in this process. */
int contents_here(const struct file_node *node);
/* The file is memory of the program's, which may write there; or its contents have changed otherwise
 * (overlay_mapped.c). */
void mapped_note(node_id id, bool changed);
void mapped_reset(void);
/* The descriptor under a number out of the program's way and of its limit, or the error that it is. */
long descriptor_hold(long fd);

void tree_reset(void);

#endif
