/* SPDX-License-Identifier: Apache-2.0
 *
 * Comparing doubles in tests. cmocka's own assert_float_equal() rounds both to float first.
 */
#ifndef HEDDLE_TESTS_NEAR_H
#define HEDDLE_TESTS_NEAR_H

#include <math.h>

/* The values differ by at most `tolerance`; needs cmocka.h before it. */
#define assert_near(a, b, tolerance)                                                                                   \
  do {                                                                                                                 \
    double near_a = (a), near_b = (b);                                                                                 \
    if (!(fabs(near_a - near_b) <= (tolerance)))                                                                       \
      fail_msg("%s: %.17g is not %.17g", #a, near_a, near_b);                                                          \
  } while (0)

#endif
