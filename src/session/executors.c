/* SPDX-License-Identifier: Apache-2.0
 *
 * The list of executors, see executor.h.
 */
#include "session/executor.h"

const struct executor *const executor_table[EXECUTOR_COUNT] = {
#define X(id, name) [EXECUTOR_##id] = &executor_##name,
    HD_EXECUTORS(X)
#undef X
};
