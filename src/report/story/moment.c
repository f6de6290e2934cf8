/* SPDX-License-Identifier: Apache-2.0
 *
 * One pass over the trace up to the moment for the past, one from there on for what comes next; see the
 * header. */
#include "report/story/moment.h"
#include "report/story/process_words.h"
#include <errno.h>

/* ---- locks ---- */

static void take(struct moment *m, const struct trace_event *e, uintptr_t addr)
{
  if (m->locks < MOMENT_LOCKS)
    m->lock[m->locks++] = (struct moment_lock){e->thread, addr, e};
}

static void release(struct moment *m, uint32_t thread, uintptr_t addr)
{
  for (uint32_t i = m->locks; i-- > 0;) {
    if (m->lock[i].thread != thread || m->lock[i].addr != addr)
      continue;
    m->locks--;
    for (; i < m->locks; i++)
      m->lock[i] = m->lock[i + 1];
    return;
  }
}

static void follow_locks(struct moment *m, const struct trace_event *e)
{
  if (event_takes_lock(e))
    take(m, e, e->addr);
  else if (op_leaves_lock(e->op))
    release(m, e->thread, e->addr);
  else if (e->op == OP_COND_WAIT)
    release(m, e->thread, e->second);
  else if (e->op == OP_COND_WAKE || e->op == OP_COND_TIMEDWAKE)
    take(m, e, e->second);
}

/* ---- threads ---- */

static void follow_threads(const struct story *story, struct moment *m, const struct trace_event *e)
{
  if (e->op == OP_CREATE && e->arg < m->threads && m->thread[e->arg].state == THREAD_NOT_YET)
    m->thread[e->arg].state = THREAD_READY;
  if (e->thread < m->threads)
    m->thread[e->thread].state = event_ends_thread(e) ? THREAD_ENDED : THREAD_READY;
  for (uint32_t t = 0; e->op == OP_PROCESS_END && t < m->threads; t++) /* and so end all others in it */
    if (t != e->thread && process_of(story, t) == process_of(story, e->thread) && m->thread[t].state != THREAD_NOT_YET)
      m->thread[t].state = THREAD_ENDED;
}

static void find_next(struct moment *m, const struct trace_event *e, uint64_t now, bool left)
{
  struct moment_thread *thread = e->thread < m->threads ? &m->thread[e->thread] : NULL;
  if (!thread || thread->next || thread->state == THREAD_ENDED)
    return;
  thread->next = e;
  thread->left = left;
  const bool waited = e->waited_since && e->waited_since <= now && (!e->woken_by || e->woken_by >= now);
  if (thread->state == THREAD_READY && (waited || (left && now == UINT64_MAX && e->marks & TRACE_BLOCKED)))
    thread->state = THREAD_WAITS;
}

void moment_find(const struct story *story, size_t at, struct moment *m)
{
  const size_t count = story->events ? story->event_count : 0;
  const uint64_t now = at < count ? story->events[at].step : UINT64_MAX;
  m->locks = 0;
  m->threads = story->thread_count < MAX_THREADS ? story->thread_count : MAX_THREADS;
  for (uint32_t t = 0; t < m->threads; t++)
    m->thread[t] = (struct moment_thread){.state = t ? THREAD_NOT_YET : THREAD_READY};
  for (size_t i = 0; i < at && i < count; i++) {
    follow_threads(story, m, &story->events[i]);
    follow_locks(m, &story->events[i]);
  }
  for (size_t i = at; i < count; i++)
    find_next(m, &story->events[i], now, false);
  for (size_t i = 0; story->left && i < story->left_count; i++)
    find_next(m, &story->left[i], now, true);
}

bool looks_before_wait(const struct story *story, size_t wait)
{
  for (size_t i = wait; i-- > 0;) {
    const struct trace_event *e = &story->events[i];
    if (e->thread != story->events[wait].thread)
      continue;
    if (event_reads(e))
      return true;
    if (op_takes_lock(e->op) || e->op == OP_COND_WAKE || e->op == OP_COND_TIMEDWAKE)
      return false;
  }
  return false;
}
