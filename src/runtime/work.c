/* SPDX-License-Identifier: Apache-2.0
 *
 * Units of an exhaustive search: taken from the control block and handed in there. Between two units the process waits
 * at the start of an execution. All workers must know the same memory to be shared, or the steps of a unit would not be
 * those of the one who found it; so what others learnt comes with each unit.
 */
#include "runtime/work.h"
#include "explore/explorer.h"
#include "explore/unit.h"
#include "runtime/names.h"
#include "runtime/runtime.h"
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>

void work_relocate(void)
{
  struct control *c = rt.control;
  uint64_t layout = names_layout(), before = c->work.layout;
  c->work.layout = layout;
  if (!before || before == layout)
    return;
  sys(SYS_madvise, SHADOW_ADDRESS, SHADOW_MAPPING_SIZE, MADV_REMOVE);
  rt.engine->locations = 0;
  const uint64_t *location = CONTROL_AT(c, CONTROL_LOCATIONS_OFFSET);
  uint32_t known = c->work.locations;
  c->work.locations = 0;
  for (uint32_t i = 0; i < known; i++) /* each is written again where it was read */
    memory_share(address_of(location[i]));
}

void work_take(void)
{
  struct control *c = rt.control;
  if (!c->work.given)
    return;
  const uint64_t *location = CONTROL_AT(c, CONTROL_LOCATIONS_GIVEN_OFFSET);
  for (uint32_t i = 0; i < c->work.locations_given && i < CONTROL_LOCATIONS_MAX; i++)
    memory_share(address_of(location[i]));
  explorer_load(rt.engine->strategy_state, rt.engine->world, CONTROL_AT(c, CONTROL_UNIT_OFFSET));
  c->work.given = c->work.asked = c->work.learnt = 0;
  c->finished = 0;
}

void work_hand_in(void)
{
  struct control *c = rt.control;
  explorer_hand_in(rt.engine->strategy_state, rt.engine->world, CONTROL_AT(c, CONTROL_HAND_IN_OFFSET),
                   CONTROL_HAND_IN_MAX);
}

void work_hand_in_lessons(void)
{
  explorer_hand_in_lessons(rt.engine->strategy_state, CONTROL_AT(rt.control, CONTROL_HAND_IN_OFFSET));
}

bool work_wait(void)
{
  struct control *c = rt.control;
  while (c->state == WORKER_HANDED)
    sys(SYS_futex, &c->state, FUTEX_WAIT, WORKER_HANDED, NULL, NULL, 0);
  if (c->state != WORKER_RUNNING)
    return false;
  work_take();
  return true;
}
