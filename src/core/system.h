/* SPDX-License-Identifier: Apache-2.0
 *
 * What the system keeps for the program, as far as its calls can meet there. A system call has a footprint (OP_SYSTEM):
 * the set of these that it reads and the set that it changes; two calls depend on each other if one changes what the
 * other reads or changes. Coarse is safe: one object for all files, one for all descriptors.
 */
#ifndef HEDDLE_CORE_SYSTEM_H
#define HEDDLE_CORE_SYSTEM_H

#include <stdint.h>

/*  X(constant) */
#define HD_SYSTEM_OBJECTS(X)                                                                                           \
  X(DESCRIPTORS) /* which numbers are in use, and for what */                                                          \
  X(OPEN_FILES)  /* offsets, flags, interest in events, locks */                                                       \
  X(STANDARD)    /* what is behind standard input, output and error */                                                 \
  X(FILES)       /* names and contents */                                                                              \
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

#endif
