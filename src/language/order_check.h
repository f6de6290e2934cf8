/* SPDX-License-Identifier: Apache-2.0
 *
 * What can be known to be wrong about an ordering before the test runs.
 */
#ifndef HEDDLE_LANGUAGE_ORDER_CHECK_H
#define HEDDLE_LANGUAGE_ORDER_CHECK_H

#include "language/order_parse.h"

/* False, with an error at what is wrong, if an event must come before itself, or is named with its thread here and
 * without it there, or nothing could keep a formula. */
bool order_check(const struct ordering *o, struct order_error *error);

#endif
