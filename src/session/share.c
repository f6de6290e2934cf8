/* SPDX-License-Identifier: Apache-2.0
 *
 * The jobs of a planner among the workers of a session: given to who has none, taken back when they are answered, asked
 * for when they take long. What is in a job is the planner's, how it gets there the executor's.
 */
#include "session/share.h"
#include "explore/unit.h"
#include "session/console.h"
#include "session/executor.h"
#include "session/planner.h"
#include "session/samples.h"
#include "session/session.h"
#include <math.h>

#define PACE_OF 4.0 /* seconds */

static void clear_counts(struct control *c)
{
  c->executions = c->blocked = c->cut = c->steps = c->work.worked = c->answer_bytes[ANSWER_LINES] = 0;
}

/* Of the last seconds: a unit may be over at once, and the machine may have become slower. */
static void note_done(struct worker *w, double now)
{
  w->done += (double)w->control->executions;
  w->done_in += now - w->ticket.given_at;
  if (w->done_in > PACE_OF) {
    w->done /= 2;
    w->done_in /= 2;
  }
}

static void take(struct session *s, struct worker *w, double now)
{
  struct answer answer;
  note_done(w, now);
  if (s->request->samples) {
    samples_take(s, w, now);
    w->busy = false;
    return;
  }
  worker_read_answer(w, &answer);
  s->planner->take(s->planner_self, &w->ticket, &answer, now);
  s->taken += answer.executions;
  if (answer.found && s->request->division && !untold_note(&s->request->division->untold, w))
    session_fail(s, NULL, STATUS_FAILED, "no memory left");
  clear_counts(w->control);
  worker_drop_answer(w, ANSWER_HAND_IN);
  w->busy = false;
}

void share_lost(struct session *s, struct worker *w, int wait_status)
{
  if (w->busy)
    s->planner->lost(s->planner_self, &w->ticket, w->control, wait_status);
  w->busy = false;
  w->done = w->done_in = 0;
}

static void give(struct session *s, struct worker *w, const struct job_draft *draft, double now)
{
  struct control *c = w->control;
  worker_give(w, JOB_LOCATIONS, draft->location, draft->locations * sizeof *draft->location);
  c->job_bytes[JOB_UNIT] = draft->unit ? sizeof *draft->unit + draft->unit->bytes : 0;
  c->work.shared = c->work.given = 1;
  c->work.asked = c->work.learnt = 0;
  c->config.executions = w->config.executions = draft->executions;
  c->config.first = w->config.first = draft->first;
  clear_counts(c);
  w->ticket.given_at = now;
  w->busy = true;
  if (w->pidfd >= 0) {
    w->executor->give(w);
    return;
  }
  if (w != s->worker && !w->started) { /* what the first one had to learn need not be learnt again */
    c->wish = s->worker[0].control->wish;
    c->wish.reason[0] = 0;
  }
  start_worker(s, w);
}

/* A process that ends with each execution does not wait for a job: the next one gets it. Unless somebody else looks
 * after it, who waits. */
static bool is_idle(const struct session *s, const struct worker *w)
{
  bool waits = w->control->state == WORKER_HANDED && (w->executor->cares || w->control->reset != RESET_EXEC);
  return !w->busy && !w->finished && (w->pidfd < 0 ? !s->request->relay : waits);
}

static void let_go(struct worker *w)
{
  if (w->pidfd < 0)
    w->finished = true;
  else if (w->control->state == WORKER_HANDED)
    w->executor->let_go(w);
}

/* Who is to be found elsewhere is looked for before there is a job; in the end, no more. */
static void look_for_others(struct session *s, bool over)
{
  for (unsigned i = 0; i < s->count && s->request->relay; i++) {
    struct worker *w = &s->worker[i];
    if (w->busy || w->finished || (w->pidfd >= 0 && w->control->state == WORKER_HANDED))
      continue;
    if (over && w->pidfd < 0)
      w->finished = true;
    else if (over)
      w->executor->stop(w);
    else if (w->pidfd < 0)
      start_worker(s, w);
  }
}

/* True: there is nothing for it. */
static bool find_job(struct session *s, struct worker *w, unsigned others, double now)
{
  struct job_draft draft = {.unit = CONTROL_AT(w->control, JOB_UNIT_OFFSET),
                            .room = JOB_UNIT_MOST,
                            .worker = (unsigned)(w - s->worker),
                            .others = others};
  if (!s->planner->next(s->planner_self, &draft, &w->ticket, now))
    return true;
  give(s, w, &draft, now);
  return false;
}

/* ---- answers ---- */

/* Somebody has answered with what is to be taken together with the answers of those who have not. */
static bool is_meeting(const struct session *s)
{
  bool meets = false, missing = false;
  for (unsigned i = 0; i < s->count && s->planner->meets; i++) {
    const struct worker *w = &s->worker[i];
    struct answer answer;
    missing |= w->busy && !worker_has_answered(w);
    if (!worker_has_answered(w))
      continue;
    worker_read_answer(w, &answer);
    meets |= s->planner->meets(s->planner_self, &w->ticket, &answer);
  }
  return meets && missing;
}

static struct worker *first_answered(struct session *s)
{
  struct worker *first = NULL;
  for (unsigned i = 0; i < s->count; i++) {
    struct worker *w = &s->worker[i];
    if (worker_has_answered(w) &&
        (!first || (s->planner->precedes && s->planner->precedes(s->planner_self, &w->ticket, &first->ticket))))
      first = w;
  }
  return first;
}

/* ---- what is to be done now ---- */

/* Jobs for those who have none; to be let go: there are none any more. Returns whether somebody is left without. */
static bool give_jobs(struct session *s, bool over, double now)
{
  unsigned idle = 0;
  bool without = false;
  for (unsigned i = 0; i < s->count; i++)
    idle += is_idle(s, &s->worker[i]);
  for (unsigned i = 0; i < s->count; i++) {
    struct worker *w = &s->worker[i];
    if (!is_idle(s, w))
      continue;
    idle--;
    if (over)
      let_go(w);
    else
      without |= find_job(s, w, idle + without, now);
  }
  return without;
}

/* Who has had its job for long enough is asked for what it has; for the others that is due later. */
static void ask_for_answers(struct session *s, bool meeting, bool idle, double now)
{
  for (unsigned i = 0; i < s->count; i++) {
    struct worker *w = &s->worker[i];
    if (!w->busy)
      continue;
    w->ticket.worked = (double)w->control->work.worked * 1e-9;
    double due = w->ticket.given_at + (meeting ? 0 : s->planner->patience(s->planner_self, &w->ticket, idle));
    if (now >= due)
      w->executor->ask(w);
    else if (due < s->due)
      s->due = due;
  }
}

void share_jobs(struct session *s, bool stopping, double now)
{
  s->due = INFINITY;
  if (!stopping && is_meeting(s)) {
    ask_for_answers(s, true, false, now);
    return;
  }
  for (struct worker *w; (w = first_answered(s));)
    take(s, w, now);
  bool working = false;
  for (unsigned i = 0; i < s->count; i++)
    working |= s->worker[i].busy;
  enum outlook outlook = s->planner->look(s->planner_self, working, now);
  const char *problem = s->planner->problem(s->planner_self);
  if (problem)
    session_fail(s, NULL, STATUS_FAILED, "%s", problem);
  for (unsigned i = 0; i < s->count && outlook == JOBS_STOP; i++)
    s->worker[i].executor->stop(&s->worker[i]);
  bool over = stopping || problem || outlook != JOBS_TO_COME;
  look_for_others(s, over);
  bool idle = give_jobs(s, over, now);
  if (!over)
    ask_for_answers(s, false, idle, now);
}
