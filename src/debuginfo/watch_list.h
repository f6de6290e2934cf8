/* SPDX-License-Identifier: Apache-2.0
 *
 * The functions of a program whose calls are to be watched, found by patterns in its symbol table. A list is
 * `conn_*,queue_*,conn_open:new,send_on:2`: items are
 *
 *     [TYPE=]PATTERN[:WORD]
 *
 * with a shell pattern for names of functions (`Conn::*` for methods of C++) and a word for what they do with their
 * object: `new`, they return it; `init`, what they are given is a new one from then on, whatever was at that address
 * before; a number, it is that argument and not the first one; `not`, leave it out. Later items say more about
 * functions that earlier ones named. The type is the pattern up to where it becomes one, less `_` and `::`, unless it
 * is given.
 *
 * Only functions that begin with room for a call can be watched: heddle cc makes them so.
 */
#ifndef HEDDLE_TRACE_WATCH_LIST_H
#define HEDDLE_TRACE_WATCH_LIST_H

#include "core/control.h"

/* Fills in the watched calls of the config. False with one line in error. */
bool watch_list(const char *program, const char *list, struct control_config *config, char *error, size_t error_size);

/* One more pattern, for events of properties: functions of the program, and those that it calls in libraries; or, if
 * they are wanted everywhere, that its own libraries may call. None is no error. Whether calls of some may be unseen,
 * since the compiler put them where they are called, is noted in the config. False with one line in error. */
bool watch_events(const char *program, const char *pattern, bool everywhere, struct control_config *config, char *error,
                  size_t error_size);

/* Where a function of the program begins, as the file has it. False with one line in error. */
bool watch_address(const char *program, const char *function, uint64_t *address, char *error, size_t error_size);

#endif
