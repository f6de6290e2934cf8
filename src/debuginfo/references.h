/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether anything in a program leads to a watched function: a call or a jump, or its address in code, data or
 * relocations. Compilers leave out calls of functions that do nothing but return a value; then none does.
 */
#ifndef HEDDLE_DEBUGINFO_REFERENCES_H
#define HEDDLE_DEBUGINFO_REFERENCES_H

#include "core/control.h"

/* For each watched call whether it may happen; where that cannot be known, it may. */
void find_references(const char *program, const struct control_config *config, bool may_happen[WATCHED_CALLS]);

#endif
