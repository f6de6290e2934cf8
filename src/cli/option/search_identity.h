/* SPDX-License-Identifier: Apache-2.0
 *
 * What a search is about, collected for its checkpoints (schedule/identity.h): the program and its libraries, all that
 * it is given, the settings that change what the search means, and heddle itself.
 */
#ifndef HEDDLE_CLI_SEARCH_IDENTITY_H
#define HEDDLE_CLI_SEARCH_IDENTITY_H

#include "cli/find/hunt.h"
#include "schedule/identity.h"
#include <stdbool.h>

/* False: an error was printed. Free it in any case. */
bool search_identity(struct identity *identity, const struct hunt *hunt);

#endif
