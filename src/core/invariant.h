/* SPDX-License-Identifier: Apache-2.0
 *
 * What holds whatever programs, files and people do: if it does not, heddle itself is wrong, and so may be all that it
 * would say. One line tells what broke, and the exit status is 3. On in every build; not for hot paths, and not for
 * anything that can come from outside: that gets words of its own.
 */
#ifndef HEDDLE_CORE_INVARIANT_H
#define HEDDLE_CORE_INVARIANT_H

/* what: what is broken if it does not hold, as "a unit was returned that nobody had". */
#define invariant(holds, what) (__builtin_expect(!!(holds), 1) ? (void)0 : invariant_broken(what, __FILE__, __LINE__))

/* In the tested process it is the worker's failure (worlds/threads/process/loop.c), elsewhere the end of the process
 * (file/invariant.c). */
_Noreturn void invariant_broken(const char *what, const char *file, int line);

#endif
