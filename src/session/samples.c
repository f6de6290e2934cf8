/* SPDX-License-Identifier: Apache-2.0
 *
 * Samples in ranges, see the header.
 */
#include "session/samples.h"
#include "session/console.h"
#include "session/planner.h"
#include "session/session.h"
#include <stdlib.h>
#include <string.h>

#define FIRST_RANGE 8     /* executions: most of what is shared shows in them */
#define RANGE_SECONDS 0.5 /* a process is started for each range, and an answer is some messages */
#define GROWTH 8          /* a range is at most so many times as large as the one before it was */
#define RANGE_MOST (UINT64_C(1) << 20)
#define FIXED_MOST 1024 /* executions: novel and pct have learnt by then what they use, and they can be waited for */

struct kept_range {
  struct sample_range range;
  bool whole; /* all of it was run */
  struct worker worker;
};

/* ---- what is given ---- */

static void open_again(struct samples *p, uint64_t first, uint64_t end)
{
  struct sample_range *grown = realloc(p->open, (p->open_count + 1) * sizeof *grown);
  if (!grown) {
    p->failed = true;
    return;
  }
  p->open = grown;
  grown[p->open_count++] = (struct sample_range){first, end};
}

/* How many executions take about RANGE_SECONDS; towards the end fewer, for all to end at the same time. */
static uint64_t range_size(const struct samples *p, unsigned others)
{
  double wished = p->pace > 0 ? RANGE_SECONDS / p->pace : FIRST_RANGE;
  uint64_t size = wished < 1 ? 1 : wished > RANGE_MOST ? RANGE_MOST : (uint64_t)wished;
  uint64_t grown = p->done < FIRST_RANGE ? FIRST_RANGE : GROWTH * p->done;
  size = size < grown ? size : grown;
  uint64_t share = p->total > p->next ? (p->total - p->next) / (2 * (others + UINT64_C(1))) + 1 : size;
  return size < share ? size : share;
}

static uint64_t fixed_end(uint64_t first)
{
  uint64_t size = FIRST_RANGE, end = size;
  for (; end <= first; end += size)
    size = GROWTH * size < FIXED_MOST ? GROWTH * size : FIXED_MOST;
  return end;
}

static struct sample_range take_open(struct samples *p)
{
  size_t first = 0;
  for (size_t i = 1; i < p->open_count; i++)
    if (p->open[i].first < p->open[first].first)
      first = i;
  struct sample_range range = p->open[first];
  p->open[first] = p->open[--p->open_count];
  return range;
}

static bool next(void *self, struct job_draft *draft, struct ticket *ticket, double now)
{
  (void)now;
  struct samples *p = self;
  if (p->over || (!p->open_count && ((p->total && p->next >= p->total) || (!p->done && p->next))))
    return false;
  struct sample_range range = {p->next, p->fixed ? fixed_end(p->next) : p->next + range_size(p, draft->others)};
  if (p->open_count)
    range = take_open(p);
  else if (p->total && range.end > p->total)
    range.end = p->total;
  if (range.end > p->next)
    p->next = range.end;
  *ticket = (struct ticket){.epoch = p->epoch, .first = range.first, .executions = range.end - range.first};
  draft->unit = NULL;
  draft->first = range.first;
  draft->executions = ticket->executions;
  draft->location = p->location;
  draft->locations = p->locations;
  return true;
}

static void lost(void *self, const struct ticket *ticket, const struct control *block, int wait_status)
{
  (void)block, (void)wait_status;
  struct samples *p = self;
  if (ticket->epoch == p->epoch)
    open_again(p, ticket->first, ticket->first + ticket->executions);
}

/* ---- what comes back ---- */

/* What others were given without it was run in vain. */
static void learn(struct samples *p, const struct worker *w)
{
  uint64_t bytes;
  const void *location = worker_answer(w->control, ANSWER_LOCATIONS, &bytes);
  if (bytes / sizeof *p->location <= p->locations)
    return;
  uint64_t *copy = malloc(bytes);
  if (!copy) {
    p->failed = true;
    return;
  }
  free(p->location);
  p->location = memcpy(copy, location, bytes);
  p->locations = (uint32_t)(bytes / sizeof *p->location);
  p->epoch++;
  p->open_count = 0;
  p->next = p->done;
}

static void drop(struct samples *p, struct kept_range *k)
{
  p->in_vain += k->worker.control->executions;
  worker_close(&k->worker);
}

static void drop_kept(struct samples *p)
{
  for (size_t i = 0; i < p->kept_count; i++)
    drop(p, &p->kept[i]);
  p->kept_count = 0;
}

static void note_bug(struct session *s, const struct worker *w)
{
  for (uint32_t n = 0, bugs = worker_bug_count(w); n < bugs && !s->request->config.keep_going; n++) {
    const struct bug *bug = &w->control->bug[n];
    bool fatal = bug_is_fatal(bug, &s->request->config) || (bug->kind == BUG_EXIT && exits_differ(s));
    if (fatal && bug->execution < s->first_bug)
      s->first_bug = bug->execution;
  }
}

static void count(struct session *s, struct kept_range k)
{
  worker_tidy(&k.worker);
  note_exits(s, k.worker.control);
  note_bug(s, &k.worker);
  collect_part(s, &k.worker);
}

static bool count_next(struct session *s, struct samples *p)
{
  size_t i = 0;
  while (i < p->kept_count && p->kept[i].range.first != p->done)
    i++;
  if (i == p->kept_count)
    return false;
  struct kept_range k = p->kept[i];
  p->kept[i] = p->kept[--p->kept_count];
  const uint64_t epoch = p->epoch;
  p->done = k.range.end;
  p->over |= !k.whole;
  learn(p, &k.worker);
  count(s, k);
  if (p->over || epoch != p->epoch)
    drop_kept(p);
  return !p->over;
}

void samples_take(struct session *s, struct worker *w, double now)
{
  struct samples *p = s->request->samples;
  const struct ticket t = w->ticket;
  const struct control *c = w->control;
  const struct target *target = s->request->target;
  char error[256];
  uint64_t run = c->execution - t.first;
  if (c->execution < t.first || run > t.executions || (run && now <= t.given_at)) {
    session_fail(s, NULL, STATUS_FAILED, "an answer makes no sense");
    return;
  }
  struct kept_range k = {{t.first, t.first + run}, run == t.executions, {0}}, *grown;
  if (!worker_part(w, &k.worker, target->input, target->input_bytes, error, sizeof error)) {
    session_fail(s, NULL, STATUS_FAILED, "%s", error);
    return;
  }
  give_parts(s, w);
  if (t.epoch != p->epoch || p->over || !(grown = realloc(p->kept, (p->kept_count + 1) * sizeof *grown))) {
    p->failed |= t.epoch == p->epoch && !p->over;
    drop(p, &k);
    return;
  }
  p->kept = grown;
  grown[p->kept_count++] = k;
  p->pace = run ? (now - t.given_at) / (double)run : p->pace;
  while (count_next(s, p))
    ;
}

void samples_end(struct session *s)
{
  struct samples *p = s->request->samples;
  for (size_t i = 0; i < p->kept_count; i++)
    count(s, p->kept[i]);
  p->kept_count = 0;
}

void samples_close(struct samples *p)
{
  drop_kept(p);
  free(p->kept);
  free(p->open);
  free(p->location);
  *p = (struct samples){0};
}

/* ---- the planner ---- */

/* Ranges are as long as they are to be. */
static double patience(const void *self, const struct ticket *ticket, bool idle)
{
  (void)self, (void)ticket, (void)idle;
  return 1e9;
}

static enum outlook look(void *self, bool working, double now)
{
  (void)working, (void)now;
  const struct samples *p = self;
  return p->over ? JOBS_STOP : p->total && p->done >= p->total ? JOBS_OVER : JOBS_TO_COME;
}

static const char *problem(const void *self)
{
  return ((const struct samples *)self)->failed ? "no memory left" : NULL;
}

const struct planner samples_planner = {
    .next = next, .lost = lost, .patience = patience, .look = look, .problem = problem};
