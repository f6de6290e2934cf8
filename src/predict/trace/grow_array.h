/* SPDX-License-Identifier: Apache-2.0
 *
 * Arrays that grow: room for an index, by doubling; new entries are zero.
 */
#ifndef HEDDLE_PREDICT_GROW_ARRAY_H
#define HEDDLE_PREDICT_GROW_ARRAY_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* False when there is no memory: then the array is as it was. */
static inline bool grow_array(void **array, uint32_t *room, uint32_t index, size_t size)
{
  if (index < *room)
    return true;
  uint32_t wanted = index >= 2 * *room ? index + 1 : 2 * *room;
  char *grown = realloc(*array, wanted * size);
  if (!grown)
    return false;
  memset(grown + *room * size, 0, (wanted - *room) * size);
  *array = grown;
  *room = wanted;
  return true;
}

#endif
