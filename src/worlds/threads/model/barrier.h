/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_RUNTIME_BARRIER_H
#define HEDDLE_RUNTIME_BARRIER_H

#include "core/object_model.h"
#include "worlds/threads/runtime.h"

extern const struct object_model barrier_model;

#endif
