/* SPDX-License-Identifier: Apache-2.0
 *
 * Files through an overlay (--files overlay): what the program changes in the tree of files is kept in a tree of our
 * own over the real one, for one execution, and the user's files stay as they are. The door for the rest of the
 * runtime; each part tells in its file what it is for: overlay_tree.c what there is, overlay_contents.c what is in the
 * files, overlay_path.c where paths lead, overlay_open.c, overlay_names.c, overlay_look.c, overlay_list.c and
 * overlay_use.c what calls do, overlay_calls.c which those are and what they touch.
 */
#ifndef HEDDLE_RUNTIME_OVERLAY_H
#define HEDDLE_RUNTIME_OVERLAY_H

#include "worlds/threads/system/call.h"
#include <sys/stat.h>

/* A client (--client) is to find the files that the program makes for it. */
static inline bool overlay_is_on(void)
{
  return rt.control->config.files == FILES_OVERLAY && !rt.control->config.client;
}

/* True, with the result, if the call is about the overlay's files. If not, its paths may be others now: where the real
 * things are. */
bool overlay_call(struct call *call, long *result);
/* Addresses of Unix sockets that the kernel gave, after any call. */
void overlay_addresses(const struct call *call, long result);
/* The same for those that open something: the number that it has to the program, -errno or UNKNOWN. */
long overlay_open(struct call *call);
/* What a call on files reads and changes (core/system.h), beyond what the table says. */
void overlay_footprint(const struct call *call, uint64_t *reads, uint64_t *changes);
/* What fstat() says to the program: 0 or -errno. */
long overlay_fstat(long fd, struct stat *out);
/* The same for a node (overlay_tree.h), if it is one. */
bool overlay_stat(uint16_t node, struct stat *out);
/* The file of the descriptor is about to be mapped; false: it is none of the overlay's. */
bool overlay_maps(long fd, long protection, long flags);
/* What was written to files by way of memory counts by now (overlay_mapped.c). */
void overlay_settle_mapped(void);
/* One of our own descriptors, of which the program knows nothing (overlay_contents.c). */
bool descriptor_is_held(long fd);
/* Takes note of the file that a call is on, for stories; and the name of it, of the call a thread is in. */
void overlay_note_subject(const struct call *call);
const char *overlay_subject(unsigned thread);
void overlay_reset(void);

/* Whether there is such a file, to the program. */
bool overlay_has(const char *path);
/* Whether anything is otherwise than in the real tree. */
bool overlay_is_changed(void);

/* A program that a process is to go on as (overlay_programs.c). */
struct program_file {
  long fd;     /* of its contents, in any case: < 0, or to be closed */
  bool copied; /* it can be loaded by that only, since the kernel has no such file */
  long folder; /* else by this path, from there */
  char path[4096];
  struct stat stat; /* its mode, if nothing else */
};
/* By its name or by a descriptor of the program's: 0, or what the kernel would say. */
long program_find(long folder, const char *path, struct program_file *out);
long program_of_descriptor(long fd, struct program_file *out);
/* Several processes: one has the working folder of the one that it is a copy of; what it made stays when it goes on as
 * another program; and nothing of others is kept. */
void overlay_fork(unsigned process, unsigned copy);
void contents_exec(void);
void contents_reset(void);

#endif
