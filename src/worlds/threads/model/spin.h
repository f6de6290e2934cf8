/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_RUNTIME_SPIN_H
#define HEDDLE_RUNTIME_SPIN_H

#include "core/object_model.h"
#include "worlds/threads/runtime.h"

extern const struct object_model spin_model;

#endif
