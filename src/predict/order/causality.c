/* SPDX-License-Identifier: Apache-2.0
 *
 * Vector clocks of a recorded run; see causality.h.
 *
 * The clock that a signal leaves is kept until the waits it ends have ended. Which waits those are is what their
 * wake-up says (cause); where it does not, it was the latest signal since the wait began. So no more than one clock is
 * kept for each thread that waits.
 */
#include "predict/order/causality.h"
#include "predict/trace/grow_array.h"

struct notification {
  uint64_t number; /* of the event */
  uint32_t wakes;  /* threads that it will still wake */
  struct clock clock;
};

static bool clock_grow(struct clock *c, uint32_t count)
{
  if (count > c->count) {
    if (!grow_array((void **)&c->at, &c->room, count - 1, sizeof *c->at))
      return false;
    c->count = count;
  }
  return true;
}

/* Takes over what another clock knows, but of one thread. */
static bool clock_merge(struct clock *into, const struct clock *from, uint32_t but)
{
  if (!clock_grow(into, from->count))
    return false;
  for (uint32_t i = 0; i < from->count; i++)
    if (i != but && from->at[i] > into->at[i])
      into->at[i] = from->at[i];
  return true;
}

bool clock_before(const struct clock *a, const struct clock *b)
{
  bool less = false;
  for (uint32_t i = 0; i < a->count || i < b->count; i++) {
    if (clock_get(a, i) > clock_get(b, i))
      return false;
    less |= clock_get(a, i) < clock_get(b, i);
  }
  return less;
}

/* A thread's past begins, with 1 for itself, where the thread is first heard of. */
static struct thread_past *past_of(struct causality *c, uint32_t thread)
{
  if (!grow_array((void **)&c->thread, &c->threads, thread, sizeof *c->thread) ||
      !clock_grow(&c->thread[thread].clock, thread + 1)) {
    c->failed = true;
    return NULL;
  }
  struct thread_past *past = &c->thread[thread];
  if (!past->clock.at[thread])
    past->clock.at[thread] = 1;
  return past;
}

const struct clock *causality_clock(struct causality *c, uint32_t thread)
{
  struct thread_past *past = past_of(c, thread);
  return past ? &past->clock : NULL;
}

static struct condition_state *condition_of(struct causality *c, uint32_t object)
{
  bool ok = grow_array((void **)&c->condition, &c->conditions, object, sizeof *c->condition);
  c->failed |= !ok;
  return ok ? &c->condition[object] : NULL;
}

static void tick(struct thread_past *past, uint32_t thread)
{
  past->clock.at[thread]++;
}

static void create(struct causality *c, const struct event *e)
{
  struct thread_past *child = past_of(c, e->other), *mine = past_of(c, e->thread);
  if (!child || !mine)
    return;
  child = &c->thread[e->other]; /* the table may have moved */
  tick(mine, e->thread);
  c->failed |= !clock_merge(&child->clock, &mine->clock, e->other);
}

/* What the thread did after its last tick is before the join as well, so its end ticks too. */
static void join(struct causality *c, const struct event *e)
{
  struct thread_past *child = past_of(c, e->other), *mine = past_of(c, e->thread);
  if (!child || !mine)
    return;
  child = &c->thread[e->other];
  tick(child, e->other);
  c->failed |= !clock_merge(&mine->clock, &child->clock, e->thread);
  tick(mine, e->thread);
}

static uint32_t outstanding(const struct condition_state *s)
{
  uint32_t n = 0;
  for (uint32_t i = 0; i < s->sent_count; i++)
    n += s->sent[i].wakes;
  return n;
}

/* One of the wake-ups of a notification has happened. The last one drops it; its clock's memory stays for the next. */
static void spend(struct condition_state *s, uint32_t i)
{
  struct notification spent = s->sent[i];
  if (--s->sent[i].wakes > 0)
    return;
  s->sent_count--;
  memmove(&s->sent[i], &s->sent[i + 1], (s->sent_count - i) * sizeof spent);
  s->sent[s->sent_count] = spent;
}

/* A signal that nobody waits for orders nothing. */
static void notify(struct causality *c, const struct event *e)
{
  struct condition_state *s = condition_of(c, e->object);
  struct thread_past *mine = past_of(c, e->thread);
  if (!s || !mine)
    return;
  tick(mine, e->thread);
  uint32_t promised = outstanding(s);
  if (s->waiters <= promised)
    return;
  if (!grow_array((void **)&s->sent, &s->sent_room, s->sent_count, sizeof *s->sent)) {
    c->failed = true;
    return;
  }
  struct notification *n = &s->sent[s->sent_count++];
  n->number = e->number;
  n->wakes = e->op == OP_COND_SIGNAL ? 1 : s->waiters - promised;
  n->clock.count = 0;
  if (!clock_grow(&n->clock, mine->clock.count))
    c->failed = true;
  else
    memcpy(n->clock.at, mine->clock.at, mine->clock.count * sizeof *n->clock.at);
}

static void begin_wait(struct causality *c, const struct event *e)
{
  struct condition_state *s = condition_of(c, e->object);
  struct thread_past *mine = past_of(c, e->thread);
  if (!s || !mine)
    return;
  s->waiters++;
  mine->wait_began = e->number;
}

/* Index of what ended this wait, sent_count if nothing did: a timeout, a spurious wake-up. */
static uint32_t cause_of(const struct condition_state *s, const struct event *e, uint64_t wait_began)
{
  for (uint32_t i = s->sent_count; i > 0 && !(e->flags & EVENT_FAILED); i--)
    if (e->cause ? s->sent[i - 1].number == e->cause : s->sent[i - 1].number > wait_began)
      return i - 1;
  return s->sent_count;
}

static void end_wait(struct causality *c, const struct event *e)
{
  struct condition_state *s = condition_of(c, e->object);
  struct thread_past *mine = past_of(c, e->thread);
  if (!s || !mine)
    return;
  uint32_t cause = cause_of(s, e, mine->wait_began);
  if (cause < s->sent_count) {
    c->failed |= !clock_merge(&mine->clock, &s->sent[cause].clock, e->thread);
    spend(s, cause);
  }
  tick(mine, e->thread);
  s->waiters -= s->waiters > 0 && mine->wait_began;
  mine->wait_began = 0;
  while (s->sent_count && outstanding(s) > s->waiters) /* whom it was meant for has gone by a timeout */
    spend(s, 0);
}

void causality_event(struct causality *c, const struct event *e)
{
  if (e->flags & EVENT_PENDING)
    return;
  bool done = !(e->flags & EVENT_FAILED);
  switch (e->op) {
  case OP_CREATE:
    if (done && e->other)
      create(c, e);
    break;
  case OP_JOIN:
  case OP_TIMEDJOIN:
    if (done && e->other)
      join(c, e);
    break;
  case OP_COND_WAIT:
    if (done)
      begin_wait(c, e);
    break;
  case OP_COND_WAKE:
  case OP_COND_TIMEDWAKE:
    end_wait(c, e);
    break;
  case OP_COND_SIGNAL:
  case OP_COND_BROADCAST:
    notify(c, e);
    break;
  default:
    break;
  }
}

void causality_free(struct causality *c)
{
  for (uint32_t i = 0; i < c->threads; i++)
    free(c->thread[i].clock.at);
  for (uint32_t i = 0; i < c->conditions; i++) {
    for (uint32_t n = 0; n < c->condition[i].sent_room; n++)
      free(c->condition[i].sent[n].clock.at);
    free(c->condition[i].sent);
  }
  free(c->thread);
  free(c->condition);
  *c = (struct causality){0};
}
