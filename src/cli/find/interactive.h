/* SPDX-License-Identifier: Apache-2.0
 *
 * heddle show -i: a story's trace on the terminal, step by step.
 */
#ifndef HEDDLE_CLI_INTERACTIVE_H
#define HEDDLE_CLI_INTERACTIVE_H

#include "report/story/story.h"

/* Until the user has seen enough; needs a terminal (terminal.h). Returns an exit status. */
int interactive_show(const struct story *story, const char *title);

#endif
