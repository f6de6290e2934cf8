/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_RUNTIME_SPIN_H
#define HEDDLE_RUNTIME_SPIN_H

#include "runtime/runtime.h"

bool spin_enabled(const struct operation *op);

#endif
