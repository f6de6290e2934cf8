/* SPDX-License-Identifier: Apache-2.0
 *
 * Commands, options, topics, strategies and losses as one JSON document: `heddle help --json`.
 */
#ifndef HEDDLE_CLI_HELP_AS_JSON_H
#define HEDDLE_CLI_HELP_AS_JSON_H

#include "cli/help/help.h"

struct topic {
  const char *name;
  const unsigned char *text; /* its first line is the summary */
};

#define X(name, file) +1
enum { TOPICS = 0 HD_TOPICS(X) };
#undef X
extern const struct topic topics[TOPICS];

/* Prints it and returns the exit status. */
int help_as_json(void);

#endif
