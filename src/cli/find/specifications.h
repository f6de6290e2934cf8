/* SPDX-License-Identifier: Apache-2.0
 *
 * Specifications of properties (--spec, --specs): read, compiled for the program, and put where sessions take them
 * from.
 */
#ifndef HEDDLE_CLI_SPECIFICATIONS_H
#define HEDDLE_CLI_SPECIFICATIONS_H

#include "core/config.h"
#include "session/target.h"

/* A file of one's own, and a library by its name; NULL for none. The functions that their events are about are watched
 * from then on. False: an error was printed. */
bool properties_open(struct control_config *config, struct target *target, const char *spec, const char *specs);

/* Likewise, for a target whose specifications were opened: other functions are watched by now. */
bool properties_again(struct control_config *config, const struct target *target, const char *spec, const char *specs);

#endif
