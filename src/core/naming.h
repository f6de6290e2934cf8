/* SPDX-License-Identifier: Apache-2.0
 *
 * Names of threads and objects that hold from one run to the next. Where something was made is written down once
 * (struct origin), by the runtime; how much of that makes two things the same is an abstraction, chosen by whoever
 * compares. A name is a number: equal for equal names. Pure.
 */
#ifndef HEDDLE_CORE_NAMING_H
#define HEDDLE_CORE_NAMING_H

#include "core/rng.h"
#include <stdint.h>

#define HD_ABSTRACTIONS(X)                                                                                             \
  X(INDEX, "index", "the calls that led to its creation, each with how often it was made there")                       \
  X(OBJECTS, "objects", "the place of its creation, that of its creator, and so on")                                   \
  X(SITE, "site", "the place of its creation alone")                                                                   \
  X(TRIVIAL, "trivial", "none: all are the same")

enum naming {
#define X(id, name, help) NAMING_##id,
  HD_ABSTRACTIONS(X)
#undef X
      NAMING_COUNT
};

#define ORIGIN_DEPTH 10 /* the largest k */
#define NAMING_DEPTH 4  /* k unless told otherwise */

/* Sites are places in the code that are the same in every process (a return address, relative to its module). */
struct origin {
  uint64_t fixed;  /* static data: where in its module, which is a name by itself; 0 for what was created */
  uint64_t inside; /* offset in the heap block that was created */
  struct {
    uint64_t site;
    uint64_t count;             /* how often that call was made in its calling context, from 1 */
  } index[ORIGIN_DEPTH];        /* innermost first; index[0] is the creating statement */
  uint64_t chain[ORIGIN_DEPTH]; /* creation sites: its own, its creator's, … */
  uint32_t index_length, chain_length;
};

static inline uint64_t naming_of(const struct origin *o, enum naming naming, unsigned k)
{
  uint64_t h = mix64(o->fixed + 1);
  if (naming == NAMING_TRIVIAL)
    return 1;
  if (o->fixed)
    return h;
  h = mix64(h ^ o->inside);
  if (naming == NAMING_SITE)
    return mix64(h ^ (o->index_length ? o->index[0].site : 0));
  for (unsigned i = 0; naming == NAMING_INDEX && i < o->index_length && i < k; i++)
    h = mix64(mix64(h ^ o->index[i].site) ^ o->index[i].count);
  for (unsigned i = 0; naming == NAMING_OBJECTS && i < o->chain_length && i < k; i++)
    h = mix64(h ^ o->chain[i]);
  return h;
}

extern const char *const naming_name[NAMING_COUNT];

#endif
