/* SPDX-License-Identifier: Apache-2.0
 *
 * What the workers of a session found, brought together. Nothing here depends on which of them was faster.
 */
#include "core/attempt.h"
#include "core/rng.h"
#include "core/strategy.h"
#include "session/console.h"
#include "session/samples.h"
#include "session/session.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

bool exits_differ(const struct session *s)
{
  const struct control *first = NULL;
  if (s->request->samples)
    return s->exits.differ;
  for (unsigned i = 0; i < s->count; i++) {
    const struct control *c = s->worker[i].control;
    if (!c->exits.seen)
      continue;
    first = first ? first : c;
    if (c->exits.differ || c->exits.first != first->exits.first)
      return true;
  }
  return false;
}

void note_exits(struct session *s, const struct control *c)
{
  if (!c->exits.seen)
    return;
  s->exits.differ |= c->exits.differ || (s->exits.seen && s->exits.first != c->exits.first);
  s->exits.first = s->exits.seen ? s->exits.first : c->exits.first;
  s->exits.seen = true;
}

void collect_coverage(const struct session *s, const struct worker *w)
{
  const struct control *c = w->control;
  struct covered *covered = s->request->covered;
  if (!covered)
    return;
  uint32_t hotspots = c->hotspots < CONTROL_HOTSPOTS ? c->hotspots : CONTROL_HOTSPOTS;
  covered_add_hotspots(covered, c->hotspot, hotspots);
  if (c->config.coverage && !covered_add(covered, CONTROL_AT(c, CONTROL_COVERAGE_OFFSET)))
    covered->lost++;
}

static struct session_bug *find_bug(struct session_result *r, uint64_t key)
{
  for (size_t i = 0; i < r->bug_count; i++)
    if (r->bugs[i].bug.key == key)
      return &r->bugs[i];
  return NULL;
}

/* Room for one more; NULL when there is no memory. */
static struct session_bug *new_bug(struct session_result *r)
{
  struct session_bug *grown = realloc(r->bugs, (r->bug_count + 1) * sizeof *grown);
  if (!grown)
    return NULL;
  r->bugs = grown;
  return &r->bugs[r->bug_count++];
}

void session_add_bug(struct session_result *r, struct session_bug *bug)
{
  struct session_bug *slot = find_bug(r, bug->bug.key);
  if (slot && slot->schedule)
    return;
  if (slot || (slot = new_bug(r))) {
    *slot = *bug;
    bug->schedule = NULL;
  }
}

/* What the worker tried when it found the bug. */
static struct abstract_schedule tried_for(const struct worker *w, uint64_t key)
{
  uint64_t bytes;
  const struct tried_area *tried = worker_answer(w->control, ANSWER_TRIED, &bytes);
  uint64_t count = bytes >= sizeof *tried && tried->count <= ATTEMPTS_MOST ? tried->count : 0;
  for (uint64_t i = 0; i < count; i++) {
    const struct schedule_attempt attempt = tried->attempt[i];
    if (attempt.bug_key == key && abstract_schedule_is_sound(&attempt.schedule))
      return attempt.schedule;
  }
  return (struct abstract_schedule){0};
}

static void add_bug(struct session_result *r, struct worker *w, const struct bug *bug)
{
  struct session_bug *slot = find_bug(r, bug->key);
  uint32_t detectors = bug->detectors | (slot ? slot->bug.detectors : 0);
  if (slot) {
    slot->bug.detectors = detectors;
    slot->bug.constant &= bug->constant;
  }
  if (slot && slot->bug.execution <= bug->execution)
    return;
  struct schedule_record *schedule = worker_schedule(w, bug->schedule);
  if (slot) {
    if (!schedule)
      return;
    free(slot->schedule);
  } else {
    slot = new_bug(r);
    if (!slot) {
      free(schedule);
      return;
    }
  }
  *slot = (struct session_bug){*bug, schedule, tried_for(w, bug->key)};
  slot->bug.detectors = detectors;
}

void collect_bugs(struct session *s, struct worker *w)
{
  for (uint32_t n = 0, bugs = worker_bug_count(w); n < bugs; n++) {
    struct bug bug;
    worker_bug(w, n, &bug);
    if (bug.schedule != SCHEDULE_PENDING)
      add_bug(s->result, w, &bug);
  }
}

static int by_execution(const void *a, const void *b)
{
  const struct session_bug *x = a, *y = b;
  if (x->bug.execution != y->bug.execution)
    return x->bug.execution < y->bug.execution ? -1 : 1;
  return x->bug.step < y->bug.step ? -1 : x->bug.step > y->bug.step;
}

void ordering_tallies_add(struct session_result *sum, const struct ordering_tally *more)
{
  for (unsigned i = 0; i < ORDERINGS_MOST; i++) {
    sum->orderings[i].executions += more[i].executions;
    sum->orderings[i].happened |= more[i].happened;
    sum->orderings[i].repeated |= more[i].repeated;
    sum->orderings[i].ended += more[i].ended;
    sum->orderings[i].kept += more[i].kept;
  }
}

void property_events_add(struct session_result *sum, const uint32_t more[PROPERTIES])
{
  for (unsigned i = 0; i < PROPERTIES; i++)
    sum->property_events[i] |= more[i];
}

static void collect_worker(struct session *s, struct worker *w)
{
  struct session_result *r = s->result;
  struct control *c = w->control;
  r->executions += c->executions;
  r->cut += c->cut;
  r->assumed |= c->assumed != 0;
  r->blocked += c->blocked;
  r->steps += c->steps;
  r->asking += (double)c->asking / 1e9;
  r->hash = s->request->samples ? r->hash + c->session_hash
            : s->count == 1     ? c->session_hash
                                : mix64(r->hash ^ c->session_hash);
  if (c->max_threads_seen > r->max_threads)
    r->max_threads = c->max_threads_seen;
  if (c->max_steps_seen > r->max_steps)
    r->max_steps = c->max_steps_seen;
  if (c->reset < RESET_COUNT && c->reset > r->reset) /* the slowest that any worker needed */
    r->reset = c->reset;
  r->instrumented |= c->config.instrumented;
  r->missed |= c->losses;
  if (!c->config.instrumented && c->max_threads_seen > 1)
    r->missed |= LOST_UNSEEN;
  if (c->outside.known && !r->outside)
    r->outside = c;
  if (c->outside.likely)
    r->likely_outside = c;
  if (strnlen(c->unhooked, sizeof c->unhooked) > strlen(r->unhooked)) /* some worker may have loaded more than others */
    snprintf(r->unhooked, sizeof r->unhooked, "%.*s", (int)sizeof c->unhooked - 1, c->unhooked);
  if (c->unseen_calls[0])
    snprintf(r->unseen_calls, sizeof r->unseen_calls, "%.*s", (int)sizeof c->unseen_calls - 1, c->unseen_calls);
  if (c->uncovered.why)
    r->uncovered = c->uncovered;
  collect_coverage(s, w);
  ordering_tallies_add(r, c->orderings.tally);
  property_events_add(r, c->property_events);
  r->bugs_left_out |= c->bugs_left_out != 0;
  for (uint32_t n = 0, bugs = worker_bug_count(w); n < bugs; n++) {
    struct bug bug;
    worker_bug(w, n, &bug);
    if (s->first_bug == UINT64_MAX || bug.execution <= s->first_bug)
      add_bug(r, w, &bug);
  }
}

void collect_part(struct session *s, struct worker *w)
{
  struct session_result *r = s->result;
  collect_worker(s, w);
  r->control = r->control ? r->control : w->control;
  if (w->control == r->control || w->control == r->outside || w->control == r->likely_outside)
    w->control = NULL;
  worker_close(w);
}

/* That of the first execution known to have come to its exit, -1 for none. */
static int64_t exit_status(const struct session *s)
{
  if (s->request->samples)
    return s->exits.seen ? s->exits.first : -1;
  for (unsigned i = 0; i < s->count; i++)
    if (s->worker[i].control->exits.seen)
      return s->worker[i].control->exits.first;
  return -1;
}

/* What a program may well take for its own fault, or for the machine's. Once is enough. */
static void tell_refusal(const struct session *s)
{
  static bool told;
  if (told || !s->request->notes || !(s->result->missed & LOST_RINGS))
    return;
  told = true;
  console_note(
      "the program asked for io_uring (io_uring_setup), which heddle does not control; it was told that there is "
      "none (ENOSYS)");
}

void collect(struct session *s)
{
  struct session_result *r = s->result;
  bool done = s->count > 0;
  for (unsigned i = 0; i < s->count; i++) {
    struct worker *w = &s->worker[i];
    if (s->request->samples)
      break;
    worker_tidy(w);
    collect_worker(s, w);
    uint64_t asked = w->control->config.executions;
    done &= !w->started || (w->control->state == WORKER_DONE && !w->control->stop &&
                            !(asked && w->control->executions + w->control->cut >= asked));
  }
  r->exit_status = exit_status(s);
  r->exits_differ = exits_differ(s);
  for (size_t i = 0; i < r->bug_count; i++)
    r->bugs[i].bug.constant &= !r->exits_differ;
  struct division *d = s->request->division;
  if (d) {
    r->executions = d->tally.executions;
    r->cut = d->tally.cut;
    r->steps = d->tally.steps;
    r->blocked = d->tally.blocked;
    bool finished = division_is_finished(d) && !d->failed;
    if (d->courses)
      r->planned = courses_planned(d->courses);
    r->missed |= d->incomplete;
    r->finished = finished;
    r->bounded = finished && d->bounded;
    r->complete = finished && !d->bounded && !r->missed;
  }
  if (s->request->covered)
    s->request->covered->executions += r->executions + r->cut;
  if (s->request->samples)
    done = s->request->samples->over;
  r->exhausted = !d && done && s->first_bug == UINT64_MAX && r->end == SESSION_DONE;
  if (r->bug_count)
    qsort(r->bugs, r->bug_count, sizeof *r->bugs, by_execution);
  if (strategy_table[s->request->config.strategy]->keeps && s->count)
    r->best = worker_schedule(&s->worker[0], s->worker[0].control->best_schedule);
  r->seconds = now_seconds() - s->started;
  tell_refusal(s);
}

static void give_back(struct control *control)
{
  if (control)
    munmap(control, CONTROL_SEEN_SIZE);
}

void session_free(struct session_result *result)
{
  for (size_t i = 0; i < result->bug_count; i++)
    free(result->bugs[i].schedule);
  free(result->bugs);
  free(result->best);
  free(result->error_output);
  if (result->likely_outside != result->outside && result->likely_outside != result->control)
    give_back(result->likely_outside);
  if (result->outside != result->control)
    give_back(result->outside);
  give_back(result->control);
  *result = (struct session_result){0};
}
