/* SPDX-License-Identifier: Apache-2.0
 *
 * What the system keeps for the program, as far as its calls can meet there. A system call has a footprint (OP_SYSTEM):
 * the set of these that it reads and the set that it changes; two calls depend on each other if one changes what the
 * other reads or changes. Coarse is safe: one object for all names of files, one for all descriptors.
 */
#ifndef HEDDLE_CORE_SYSTEM_H
#define HEDDLE_CORE_SYSTEM_H

#include <stdint.h>

/*  X(constant) */
#define HD_SYSTEM_OBJECTS(X)                                                                                           \
  X(DESCRIPTORS) /* which numbers are in use, and for what */                                                          \
  X(OPEN_FILES)  /* offsets, flags, interest in events, locks */                                                       \
  X(STANDARD)    /* what is behind standard input, output and error */                                                 \
  X(FILES)       /* names, and what stat() says */                                                                     \
  X(NETWORK)     /* addresses in use, states of sockets */                                                             \
  X(FOLDER)      /* the working folder */                                                                              \
  X(CREATION)    /* the mask of new files */                                                                           \
  X(LIMITS)                                                                                                            \
  X(SCHEDULING)                                                                                                        \
  X(IDENTITY)                                                                                                          \
  X(SIGNALS)  /* what they do, and who blocks them */                                                                  \
  X(MESSAGES) /* System V and POSIX queues, semaphores, shared memory */                                               \
  X(MAPPINGS)

enum system_object {
#define X(id) SYSTEM_##id##_BIT,
  HD_SYSTEM_OBJECTS(X)
#undef X
      SYSTEM_OBJECT_COUNT
};

enum {
#define X(id) SYSTEM_##id = 1u << SYSTEM_##id##_BIT,
  HD_SYSTEM_OBJECTS(X)
#undef X
};

/* What is in a file, and where an open file description stands in it, are apart from that where it is known which file
 * and which description. They are objects by their numbers; those whose numbers leave the same rest are one. */
#define SYSTEM_FILES_APART 16
#define SYSTEM_FIRST_FILE 32
#define SYSTEM_FIRST_DESCRIPTION (SYSTEM_FIRST_FILE + SYSTEM_FILES_APART)
#define SYSTEM_ALL_FILES (((UINT64_C(1) << SYSTEM_FILES_APART) - 1) << SYSTEM_FIRST_FILE)
#define SYSTEM_BITS 64
_Static_assert(SYSTEM_OBJECT_COUNT <= SYSTEM_FIRST_FILE && SYSTEM_FIRST_DESCRIPTION + SYSTEM_FILES_APART <= SYSTEM_BITS,
               "a set of objects is one number");

static inline uint64_t system_file(uint64_t number)
{
  return UINT64_C(1) << (SYSTEM_FIRST_FILE + number % SYSTEM_FILES_APART);
}

static inline uint64_t system_description(uint64_t number)
{
  return UINT64_C(1) << (SYSTEM_FIRST_DESCRIPTION + number % SYSTEM_FILES_APART);
}

#endif
