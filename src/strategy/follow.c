/* SPDX-License-Identifier: Apache-2.0
 *
 * Following a recorded schedule; see follow.h. Decides nothing by chance.
 */
#include "strategy/follow.h"
#include "core/world.h"

unsigned follow_thread(const struct follower *f, const struct choice *c, uint32_t thread)
{
  if (thread == 0)
    return 0;
  const struct schedule_thread *wanted = &f->threads[thread];
  unsigned parent = follow_thread(f, c, wanted->parent);
  for (unsigned i = 1; i < c->threads; i++)
    if (c->info[i].parent == parent && c->info[i].nth == wanted->nth)
      return i;
  return MAX_THREADS;
}

static bool segment_over(const struct follow_segment *s, const struct choice *c, unsigned thread)
{
  return thread_performed(&c->thread[thread]) >= s->position;
}

static bool arrived_elsewhere(const struct follow_segment *s, const struct choice *c, unsigned thread)
{
  const struct thread_state *t = &c->thread[thread];
  return s->pc && (!t->alive || t->pending.kind != s->op || c->world->name(c->world->self, t->pending.pc) != s->pc);
}

unsigned follow_exactly(struct follower *f, const struct choice *c)
{
  if (f->at >= f->segment_count)
    return PICK_DIVERGED;
  const struct follow_segment *s = &f->segments[f->at];
  unsigned thread = follow_thread(f, c, s->thread);
  if (thread != c->current)
    return PICK_DIVERGED;
  if (!segment_over(s, c, thread))
    return threadset_has(c->enabled, thread) ? thread : PICK_DIVERGED;
  bool last = f->at + 1 == f->segment_count; /* it says where the execution ended, not what came next */
  if (!last && arrived_elsewhere(s, c, thread))
    return PICK_DIVERGED;
  f->at++;
  if (last)
    return PICK_DIVERGED;
  thread = follow_thread(f, c, f->segments[f->at].thread);
  return thread < MAX_THREADS && threadset_has(c->enabled, thread) ? thread : PICK_DIVERGED;
}

unsigned follow_roughly(struct follower *f, const struct choice *c)
{
  for (; f->at < f->segment_count; f->at++) {
    const struct follow_segment *s = &f->segments[f->at];
    unsigned thread = follow_thread(f, c, s->thread);
    if (thread < MAX_THREADS && threadset_has(c->enabled, thread) && !segment_over(s, c, thread))
      return thread;
  }
  if (!op_gives_way(c->thread[c->current].pending.kind) && threadset_has(c->enabled, c->current))
    return c->current;
  unsigned next = c->current + 1 < MAX_THREADS ? threadset_next(c->enabled, c->current + 1) : MAX_THREADS;
  return next < MAX_THREADS ? next : threadset_next(c->enabled, 0);
}

unsigned follow_choose(struct follower *f, unsigned n)
{
  if (f->choice_at >= f->choice_count)
    return 0;
  unsigned value = f->choices[f->choice_at++].value;
  return value < n ? value : 0;
}

void follow_from_record(struct follow_segment *out, struct schedule_record *record, uint64_t *threads)
{
  const struct segment *in = schedule_segments(record);
  for (uint32_t i = 0; i < record->threads; i++)
    threads[i] = 0;
  for (uint32_t i = 0; i < record->segments; i++) {
    uint64_t *position = &threads[in[i].thread];
    *position += in[i].operations;
    out[i] = (struct follow_segment){in[i].thread, in[i].op, 0, *position, in[i].pc};
  }
}
