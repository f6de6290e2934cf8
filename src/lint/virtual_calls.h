/* SPDX-License-Identifier: Apache-2.0
 *
 * Virtual methods: which functions of the whole program a call of one may call. That is the method itself, if it has a
 * body or is somewhere outside of the program, and each that overrides it.
 */
#ifndef HEDDLE_LINT_VIRTUAL_CALLS_H
#define HEDDLE_LINT_VIRTUAL_CALLS_H

#include "lint/whole_program.h"

/* All units are there. A pure method that a single function overrides is that function, wherever it is called; other
 * calls of methods that are overridden may call one of several. */
void virtual_calls_settle(struct whole_program *p);

/* Of such a call; how many, TARGETS_MOST + 1 for too many. */
unsigned virtual_targets(const struct whole_program *p, uint32_t method, uint32_t target[TARGETS_MOST]);

#endif
