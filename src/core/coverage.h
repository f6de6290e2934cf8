/* SPDX-License-Identifier: Apache-2.0
 *
 * Coverage: which scheduling points executions came to, and in which order they took operations that conflict. Both
 * are sets of places in the code, each with the number of the execution that saw it first, so the sets of several
 * workers can be united and their growth told afterwards. The tested process fills it in (observer/coverage.c), the
 * command line reads it.
 */
#ifndef HEDDLE_CORE_COVERAGE_H
#define HEDDLE_CORE_COVERAGE_H

#include <stdint.h>

#define COVERAGE_POINTS (1u << 16) /* powers of two; later ones are only counted */
#define COVERAGE_PAIRS (1u << 17)
#define COVERAGE_NEVER UINT64_MAX

struct covered_point {
  uintptr_t pc;   /* 0: free */
  uint64_t first; /* execution */
};

/* Two conflicting operations of different threads, one right after the other as far as their object is concerned. */
struct covered_pair {
  uintptr_t low, high; /* their places; low 0: free */
  uint64_t first[2];   /* execution in which low came before high, and high before low; COVERAGE_NEVER. Where both are
                                      the same place, the thread that was created first stands for low */
};

struct coverage {
  uint64_t lost; /* for want of room */
  struct covered_point point[COVERAGE_POINTS];
  struct covered_pair pair[COVERAGE_PAIRS];
};

/* A place that the program says something about: whether executions come there. */
#define HD_EXPECTATIONS(X)                                                                                             \
  X(ALWAYS, "always")                                                                                                  \
  X(NEVER, "never")                                                                                                    \
  X(SOMETIMES, "sometimes")

enum expectation {
#define X(id, name) EXPECT_##id,
  HD_EXPECTATIONS(X)
#undef X
      EXPECTATION_COUNT
};

extern const char *const expectation_name[EXPECTATION_COUNT];

struct hotspot {
  char name[64];
  char where[128]; /* "file.c:12" */
  uint32_t expectation;
  uint32_t reached;    /* in the execution under way */
  uint64_t executions; /* that came there */
  uint64_t first;      /* of them; COVERAGE_NEVER */
};

#endif
