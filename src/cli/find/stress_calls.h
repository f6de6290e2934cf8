/* SPDX-License-Identifier: Apache-2.0
 *
 * The calls of a stress test (include/heddle_stress.h), as the program itself lists them, and the variable of the
 * environment that leaves only a part of them. The program is run once, uncontrolled, and makes none of its
 * calls. */
#ifndef HEDDLE_CLI_STRESS_CALLS_H
#define HEDDLE_CLI_STRESS_CALLS_H

#include "core/subset.h"
#include "report/story/minimised.h"
#include "session/target.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct stress_calls {
  uint32_t threads, calls; /* of the whole test */
  uint64_t seed;
  const char *file, *setup, *check;
  struct test_call *list; /* by thread, then by number */
  size_t count;
  char *text; /* that the strings are in */
};

/* False: an error was printed (status 2). */
bool stress_calls_open(struct stress_calls *calls, const struct target *target);
void stress_calls_close(struct stress_calls *calls);

/* Programs that are started from now on make only these calls; NULL: all. False: no memory. */
bool stress_keep(const struct subset *kept);

#endif
