/* SPDX-License-Identifier: Apache-2.0
 *
 * What the linker takes in: object files and archives of them, and whether heddle sees what their code does to
 * memory. */
#ifndef HEDDLE_LINK_OBJECT_FILE_H
#define HEDDLE_LINK_OBJECT_FILE_H

#include <stdbool.h>
#include <stddef.h>

/* A file in memory, or a member of an archive in memory. */
struct bytes {
  const unsigned char *at;
  size_t size;
};

/* The section that `as` puts into objects that it looked through although no compiler wrote them: what it found there
 * is told by notes (core/assembly.h). The linker leaves it out of programs. */
#define SEEN_SECTION ".heddle.seen"

enum object_file_kind {
  OBJECT_FILE_OTHER,    /* no object file, or one without code */
  OBJECT_FILE_SEEN,     /* compiled or assembled by heddle cc */
  OBJECT_FILE_UNHOOKED, /* its code has no hooks */
  OBJECT_FILE_LATE      /* its code is yet to be made, by the linker */
};

enum object_file_kind object_file_kind(struct bytes object);

/* Calls visit for each member of that name; false if the file is no archive. The members of a thin archive are files of
 * their own: then the bytes are NULL, and the path is relative to the archive's folder. */
bool archive_find(struct bytes archive, const char *name,
                  void (*visit)(void *context, struct bytes member, const char *path), void *context);

#endif
