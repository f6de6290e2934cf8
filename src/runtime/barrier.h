/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_RUNTIME_BARRIER_H
#define HEDDLE_RUNTIME_BARRIER_H

#include "runtime/runtime.h"

bool barrier_enabled(unsigned thread, const struct operation *op);

#endif
