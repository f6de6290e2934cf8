/* SPDX-License-Identifier: Apache-2.0
 *
 * When to end: the time that the command was given (--time), and the signals that ask for it (Ctrl-C, SIGTERM, SIGHUP).
 *
 * Whatever takes long looks here: a search ends when the time is up, what only improves a report (a shorter schedule,
 * the switch to blame, a page) is left out then, and what a report cannot do without (a replay) has the moment that is
 * left. Behind all of them stands a timer: a command that has not ended a second after it was asked to is ended by it,
 * whatever it is doing.
 */
#ifndef HEDDLE_SESSION_DEADLINE_H
#define HEDDLE_SESSION_DEADLINE_H

#include <stdbool.h>

/* From now on signals are counted instead of ending the process at once; those that the caller ignores stay ignored.
 * May be called again. False, with errno: there is no timer. */
bool signals_open(void);

/* How often Ctrl-C (or SIGTERM, SIGHUP) came; after the second all is killed at once. */
unsigned interrupt_count(void);

/* The command should be done after so many seconds from now; not positive: there is no limit. */
void deadline_set(double seconds);

/* Seconds until that time, or after a signal: not positive when it is over, infinite for no limit. */
double deadline_left(void);

/* Nothing new should be begun that could be left out. */
bool time_is_up(void);

/* Seconds for what cannot be left out. */
double seconds_to_finish(void);

/* A bug was told: if the timer has to end the command, that is its exit status. */
void deadline_bug_told(void);

#endif
