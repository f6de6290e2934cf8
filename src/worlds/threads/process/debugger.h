/* SPDX-License-Identifier: Apache-2.0
 *
 * Standing still for a debugger, in a traced replay that it started (cli/find/gdb_replay.h).
 */
#ifndef HEDDLE_RUNTIME_DEBUGGER_H
#define HEDDLE_RUNTIME_DEBUGGER_H

#include "core/observer.h"

/* Watches only with control->debugger.attached. */
extern const struct observer observer_debugger;

#endif
