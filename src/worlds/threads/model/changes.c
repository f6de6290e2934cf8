/* SPDX-License-Identifier: Apache-2.0
 *
 * See the header. Only exhaustive searches look back; one that has more to look back on than there is room for is not
 * complete.
 */
#include "worlds/threads/model/changes.h"
#include "worlds/threads/memory/system_memory.h"

#define CHANGES (1u << 16)

static struct change change[CHANGES] SYSTEM;
static uint64_t changes SYSTEM;

void changes_reset(void)
{
  changes = 0;
}

uint64_t change_noted(uint32_t object, unsigned what, unsigned index, int64_t value)
{
  if (changes == CHANGES) {
    lose(LOST_TOO_LONG);
    return changes;
  }
  change[changes] = (struct change){object, (uint16_t)what, (uint16_t)index, value};
  return ++changes;
}

const struct change *change_at(uint64_t n)
{
  return &change[n - 1];
}
