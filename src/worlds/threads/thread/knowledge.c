/* SPDX-License-Identifier: Apache-2.0
 *
 * See knowledge.h.
 */
#include "worlds/threads/thread/knowledge.h"
#include "worlds/threads/memory/system_memory.h"
#include "worlds/threads/runtime.h"

#define KEPT 8 /* steps of a thread */

static struct {
  struct vclock clock, acquirable;
} kept[MAX_THREADS][KEPT] SYSTEM;

void knowledge_note(void)
{
  struct thread *t = self_thread();
  unsigned me = self_index(), at = t->steps_noted++ % KEPT;
  vclock_copy(&kept[me][at].clock, &t->clock);
  vclock_copy(&kept[me][at].acquirable, &t->acquirable);
}

bool knowledge_take_back(void *self, unsigned thread, unsigned steps)
{
  (void)self;
  struct thread *t = &rt.thread[thread];
  if (steps >= KEPT || steps >= t->steps_noted) /* the one it is about to take is noted, too */
    return false;
  t->steps_noted -= steps;
  unsigned at = (t->steps_noted - 1) % KEPT;
  vclock_copy(&t->clock, &kept[thread][at].clock);
  vclock_copy(&t->acquirable, &kept[thread][at].acquirable);
  return true;
}
