/* SPDX-License-Identifier: Apache-2.0
 *
 * The room for a call at the beginning of a function that heddle cc compiled (-fpatchable-function-entry=5): five bytes
 * that do nothing, in the way of either compiler.
 */
#ifndef HEDDLE_CORE_SLED_H
#define HEDDLE_CORE_SLED_H

#include <stdbool.h>

#define SLED 5 /* bytes */

static inline bool is_sled(const unsigned char *at)
{
  bool gcc = at[0] == 0x90 && at[1] == 0x90 && at[2] == 0x90 && at[3] == 0x90 && at[4] == 0x90;
  bool clang = at[0] == 0x0f && at[1] == 0x1f && at[2] == 0x44 && at[3] == 0x00;
  return gcc || clang;
}

#endif
