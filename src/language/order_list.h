/* SPDX-License-Identifier: Apache-2.0
 *
 * The schedules that a program declares (heddle_schedule.h), each once, and those of a file in the order of its lines,
 * which is not that in which compilers put them down.
 */
#ifndef HEDDLE_LANGUAGE_ORDER_LIST_H
#define HEDDLE_LANGUAGE_ORDER_LIST_H

#include "core/without_libc.h"
#include "heddle_schedule.h"

static inline bool order_comes_later(const struct hd_schedule *a, const struct hd_schedule *b)
{
  return a->line > b->line && text_compare(a->file, b->file) == 0;
}

/* False if there is no room for it. */
static inline bool order_list_add(const struct hd_schedule **list, uint32_t *count, uint32_t most,
                                  const struct hd_schedule *one)
{
  uint32_t at = *count;
  for (uint32_t i = 0; i < *count; i++)
    if (list[i] == one)
      return true;
  if (*count == most)
    return false;
  for (; at && order_comes_later(list[at - 1], one); at--)
    list[at] = list[at - 1];
  list[at] = one;
  ++*count;
  return true;
}

#endif
