/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_RUNTIME_RWLOCK_H
#define HEDDLE_RUNTIME_RWLOCK_H

#include "runtime/runtime.h"

bool rwlock_enabled(unsigned thread, const struct operation *op);

#endif
