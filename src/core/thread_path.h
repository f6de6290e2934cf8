/* SPDX-License-Identifier: Apache-2.0
 *
 * A number for a thread that holds from execution to execution: who created it, as the how manyth, and the same of that
 * one. The engine's own numbers are in the order of creation, which schedules change.
 */
#ifndef HEDDLE_CORE_THREAD_PATH_H
#define HEDDLE_CORE_THREAD_PATH_H

#include "core/rng.h"
#include "core/schedule.h"

/* 1 for main; never 0. */
static inline uint64_t thread_path(const struct thread_info *info, unsigned t)
{
  uint64_t path = 1;
  for (; t; t = info[t].parent)
    path = mix64(path ^ (uint64_t)(info[t].nth + 1) << 32) | 1;
  return path;
}

#endif
