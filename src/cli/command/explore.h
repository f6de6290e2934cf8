/* SPDX-License-Identifier: Apache-2.0
 *
 * What is said of an exhaustive search, by heddle explore and by heddle check alike.
 */
#ifndef HEDDLE_CLI_EXPLORE_H
#define HEDDLE_CLI_EXPLORE_H

#include "cli/find/hunt.h"

void print_complete(const struct hunt *hunt, const struct session_result *result);
void print_not_complete(const struct hunt *hunt, const struct session_result *result);

#endif
