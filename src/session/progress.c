/* SPDX-License-Identifier: Apache-2.0
 *
 * What a session says of itself while it runs, for the screen (live.h). All of it is read from the control blocks; who
 * found what is counted only when there is something new.
 */
#include "core/strategy.h"
#include "session/console.h"
#include "session/session.h"
#include <stdlib.h>

#define COVERAGE_EVERY 1.0 /* seconds: the sets are large */

/* ---- bugs ---- */

/* Whose choice it was: a portfolio's bug is that of a member. */
static enum strategy_id finder_of(const struct session *s, const struct worker *w, const struct bug *bug)
{
  enum strategy_id id = (enum strategy_id)s->request->config.strategy;
  if (id != STRATEGY_portfolio)
    return id;
  struct schedule_record *schedule = worker_schedule(w, bug->schedule);
  if (schedule && schedule->strategy < STRATEGY_COUNT)
    id = (enum strategy_id)schedule->strategy;
  free(schedule);
  return id;
}

static bool is_counted(const struct live_search *search, uint64_t key)
{
  for (size_t i = 0; i < search->keys; i++)
    if (search->key[i] == key)
      return true;
  return false;
}

static void count_bug(struct session *s, const struct worker *w, const struct bug *bug)
{
  struct live_search *search = s->request->search;
  if (is_counted(search, bug->key) || bug->kind >= BUG_KIND_COUNT)
    return;
  uint64_t *grown = realloc(search->key, (search->keys + 1) * sizeof *grown);
  if (!grown)
    return;
  search->key = grown;
  grown[search->keys++] = bug->key;
  search->kind[bug->kind]++;
  const enum strategy_id finder = finder_of(s, w, bug);
  search->tried[finder] = true;
  search->found[finder]++;
}

static void count_bugs(struct session *s)
{
  uint32_t bugs = 0;
  for (unsigned i = 0; i < s->count; i++)
    bugs += worker_bug_count(&s->worker[i]);
  if (bugs == s->bugs_counted)
    return;
  s->bugs_counted = bugs;
  for (unsigned i = 0; i < s->count; i++)
    for (uint32_t n = 0, count = worker_bug_count(&s->worker[i]); n < count; n++)
      count_bug(s, &s->worker[i], &s->worker[i].control->bug[n]);
}

/* ---- coverage ---- */

static void note_first(struct live_coverage *c, uint64_t first)
{
  if (first != COVERAGE_NEVER && first > c->newest)
    c->newest = first;
}

static struct live_coverage coverage_of(const struct coverage *sets)
{
  struct live_coverage c = {0};
  for (unsigned i = 0; i < COVERAGE_POINTS; i++)
    if (sets->point[i].pc) {
      c.points++;
      note_first(&c, sets->point[i].first);
    }
  for (unsigned i = 0; i < COVERAGE_PAIRS; i++)
    if (sets->pair[i].low) {
      const uint64_t *first = sets->pair[i].first;
      c.pairs++;
      c.both += first[0] != COVERAGE_NEVER && first[1] != COVERAGE_NEVER;
      note_first(&c, first[0]);
      note_first(&c, first[1]);
    }
  return c;
}

/* That of the worker that saw most: what another saw is mostly the same. */
static void count_coverage(struct session *s, double now)
{
  if (!s->request->config.coverage || now - s->coverage_counted < COVERAGE_EVERY)
    return;
  s->coverage_counted = now;
  for (unsigned i = 0; i < s->count; i++) {
    const struct live_coverage c = coverage_of(CONTROL_AT(s->worker[i].control, CONTROL_COVERAGE_OFFSET));
    if (c.points + c.pairs + c.both >= s->coverage.points + s->coverage.pairs + s->coverage.both)
      s->coverage = c;
  }
}

/* ---- all of it ---- */

static const char *mode_of(const struct session_request *request)
{
  static char text[96];
  const uint32_t strategy = request->config.strategy;
  const char *name = strategy == STRATEGY_sources ? equivalence_name[request->config.equivalence] : NULL;
  snprintf(text, sizeof text, "%s by %s", request->division ? "all interleavings" : "samples",
           name ? name : strategy_table[strategy]->name);
  return text;
}

static void look_for_screen(struct session *s, struct live *live, double now)
{
  struct live_search *search = s->request->search;
  count_bugs(s);
  count_coverage(s, now);
  live->search = search;
  live->mode = mode_of(s->request);
  live->coverage = s->coverage;
  for (unsigned i = 0; i < s->count; i++) {
    const struct control *c = s->worker[i].control;
    live->threads = c->max_threads_seen > live->threads ? c->max_threads_seen : live->threads;
    live->steps = c->max_steps_seen > live->steps ? c->max_steps_seen : live->steps;
  }
}

/* A worker that waits for the next unit has its seat; one that is being looked for has none. */
static struct live_others look_at_others(const struct session *s, double now)
{
  struct live_others others = {.shown = s->request->relay, .lost = s->result->gone + s->result->lost};
  if (!others.shown)
    return others;
  others.late = s->request->division ? s->request->division->frontier.redone : 0;
  for (unsigned i = 0; i < s->count; i++) {
    const struct worker *w = &s->worker[i];
    double worked = w->done_in + now - w->ticket.given_at;
    others.workers += w->pidfd >= 0 && (w->busy || w->control->state == WORKER_HANDED);
    others.units += w->busy;
    if (w->busy && others.paces < LIVE_PACES)
      others.pace[others.paces++] = worked > 0 ? (w->done + (double)w->control->executions) / worked : 0;
  }
  return others;
}

struct live look_at_progress(struct session *s, double now)
{
  struct live live = {.executions = s->result->executions, /* of ranges that count */
                      .elapsed = now - s->started,
                      .left = -1,
                      .total = s->request->config.executions};
  for (unsigned i = 0; i < s->count; i++) {
    live.executions += s->worker[i].control->executions;
    live.bugs += worker_bug_count(&s->worker[i]);
    live.asking += (double)s->worker[i].control->asking / 1e9;
  }
  const struct division *d = s->request->division;
  struct forecast_answer answer;
  if (d) {
    live.estimating = true;
    live.executions = d->tally.executions;
    for (unsigned i = 0; i < s->count; i++)
      if (s->worker[i].busy && s->worker[i].ticket.epoch == d->epoch)
        live.executions += s->worker[i].control->executions;
    if (forecast_get(&d->forecast, &answer) && answer.known)
      live.estimate = answer.total;
  }
  live.others = look_at_others(s, now);
  if (s->seconds > 0)
    live.left = s->seconds > live.elapsed ? s->seconds - live.elapsed : 0;
  if (s->request->search && live_is_drawn())
    look_for_screen(s, &live, now);
  return live;
}

void end_progress(struct session *s)
{
  if (s->request->search)
    s->request->search->executions += s->result->executions;
}
