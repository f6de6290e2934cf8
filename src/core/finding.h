/* SPDX-License-Identifier: Apache-2.0
 *
 * Declaring bugs. A bug is known by its key, made from places in the code, so that one bug is one report however many
 * executions show it. Nothing is printed here; the record goes to the control block.
 *
 * The order: bug_new(), bug_text(), bug_add_party(), bug_declare(). There is one bug in the making at a
 * time. */
#ifndef HEDDLE_CORE_FINDING_H
#define HEDDLE_CORE_FINDING_H

#include "core/engine.h"

/* Places count relative to their module, so that keys hold where addresses are random. */
uint64_t bug_key_of(struct engine *e, enum bug_kind kind, uintptr_t a, uintptr_t b);
struct bug *bug_new(struct engine *e, enum bug_kind kind, uint64_t key);
/* A data race between two places. */
struct bug *bug_race(struct engine *e, uintptr_t a, uintptr_t b, uint32_t detector);
void bug_text(struct bug *bug, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* What a task has to do with it. */
void bug_add_party(struct engine *e, struct bug *bug, unsigned task, enum op_kind op, uintptr_t addr, uint32_t length,
                   uintptr_t pc);
/* A bug that ends the execution ends it here (engine_stop). Otherwise it is noted, and the execution goes on. */
void bug_declare(struct engine *e, struct bug *bug);

#endif
