/* SPDX-License-Identifier: Apache-2.0
 *
 * What probes (explore/descent.h) say together: each gives a size whose expected value is the true one, some by far too
 * large, many perhaps 0. The answer is their mean, with how far it may be off.
 */
#ifndef HEDDLE_ESTIMATE_PROBES_H
#define HEDDLE_ESTIMATE_PROBES_H

#include "estimate/scaled.h"
#include <stdbool.h>
#include <stdint.h>

/* All zero is none. */
struct probes {
  uint64_t count;
  uint64_t in_vain; /* those that said 0 */
  struct scaled sum, squares;
};

void probes_add(struct probes *probes, struct scaled size);

/* The logarithm of the size, and the variance of that. False: they say nothing. */
bool probes_get(const struct probes *probes, double *ln_size, double *variance);

#endif
