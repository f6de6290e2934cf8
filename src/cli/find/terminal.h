/* SPDX-License-Identifier: Apache-2.0
 *
 * The terminal as a screen: key by key, on its second page, without a cursor. However heddle ends, by return, exit or a
 * signal, the terminal is as it was before; while heddle is stopped by Ctrl-Z, too. There is one.
 */
#ifndef HEDDLE_CLI_TERMINAL_H
#define HEDDLE_CLI_TERMINAL_H

#include <stdbool.h>

/* Whether standard input and output are a terminal that knows escape sequences. */
bool terminal_is_there(void);

/* False: it could not be set up, and is as it was. */
bool terminal_open(void);
void terminal_close(void);

void terminal_size(unsigned *rows, unsigned *columns);

/* The next key: a byte, one of enum stepper_key, or these. */
enum { TERMINAL_RESIZED = -1, TERMINAL_GONE = -2 };
int terminal_key(void);

#endif
