/* SPDX-License-Identifier: Apache-2.0
 *
 * The loop that watches the workers of a session. All it knows of the tested process it reads from the control block;
 * all it does to it is to start, ask, stop and kill it. Prints only notes, and draws.
 */
#include "session/supervisor.h"
#include "core/changed.h"
#include "core/plan.h"
#include "core/property.h"
#include "core/strategy.h"
#include "core/trials.h"
#include "report/page/pace.h"
#include "session/console.h"
#include "session/corpus.h"
#include "session/deadline.h"
#include "session/failure_text.h"
#include "session/news.h"
#include "session/orphans.h"
#include "session/samples.h"
#include "session/session.h"
#include "session/share.h"
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TICK_SOON 0.002 /* while an answer is due */
#define TELLING 0.2     /* of the time, for what was found beside the search; at most TELLING_MOST */
#define TELLING_MOST 2.0

bool bug_is_fatal(const struct bug *bug, const struct control_config *config)
{
  return bug_ends_execution(bug, config->races, config->leaks);
}

/* ---- ends ---- */

void session_stop(struct session *s, double patience)
{
  double at = now_seconds() + patience;
  if (!s->kill_at || at < s->kill_at)
    s->kill_at = at;
  for (unsigned i = 0; i < s->count; i++)
    s->worker[i].executor->stop(&s->worker[i]);
}

static void kill_all(struct session *s)
{
  for (unsigned i = 0; i < s->count; i++)
    worker_kill(&s->worker[i]);
}

void session_fail(struct session *s, struct worker *w, int status, const char *format, ...)
{
  struct session_result *r = s->result;
  if (w)
    w->finished = true;
  if (r->end == SESSION_FAILED)
    return;
  r->end = SESSION_FAILED;
  r->status = status;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(r->error, sizeof r->error, format, arguments);
  va_end(arguments);
  session_stop(s, PATIENCE);
}

/* A bug ends the search, but only when all executions before it were run: so the result is that of one worker. */
static void look_for_bugs(struct session *s)
{
  if (s->request->samples) /* they end where one worker would (samples.h) */
    return;
  if (s->request->config.keep_going || strategy_table[s->request->config.strategy]->keeps)
    return;
  bool differ = exits_differ(s);
  for (unsigned i = 0; i < s->count; i++)
    for (uint32_t n = 0, bugs = worker_bug_count(&s->worker[i]); n < bugs; n++) {
      const struct bug *bug = &s->worker[i].control->bug[n];
      bool fatal = bug_is_fatal(bug, &s->request->config) || (bug->kind == BUG_EXIT && differ);
      if (fatal && bug->execution < s->first_bug)
        s->first_bug = bug->execution;
    }
  if (s->planner && s->first_bug != UINT64_MAX)
    s->first_bug = UINT64_MAX - 1; /* its number says nothing about the others */
  for (unsigned i = 0; i < s->count && s->first_bug != UINT64_MAX; i++)
    if (s->planner || s->worker[i].control->execution > s->first_bug)
      s->worker[i].executor->stop(&s->worker[i]);
}

static void note_pace(const struct session *s, const struct live *live, bool last)
{
  const struct pace_point now = {live->elapsed, live->executions, scaled_to_double(live->estimate)};
  if (s->request->pace)
    pace_note(s->request->pace, &now, last);
}

/* What a search found has to be told within its time, too. */
static bool is_late(const struct session *s, double now)
{
  double limit = s->seconds, telling = TELLING * limit < TELLING_MOST ? TELLING * limit : TELLING_MOST;
  bool found = false;
  for (unsigned i = 0; i < s->count && s->request->live; i++)
    found |= worker_bug_count(&s->worker[i]) > 0;
  return limit > 0 && now - s->started >= limit - (found ? telling : 0);
}

/* The time is up: who stands still says where, for the message; and nobody is waited for. */
static void end_by_time(struct session *s)
{
  s->limit_reached = true;
  if (s->result->end == SESSION_DONE)
    s->result->end = SESSION_TIME;
  for (unsigned i = 0; i < s->count; i++) {
    struct worker *w = &s->worker[i];
    if (w->pidfd < 0 || w->executor->cares || !w->control->in_execution || w->still < TICK || w->asked)
      continue;
    w->control->stuck_answered = 0;
    kill(w->pid, SIGURG);
  }
  bool in_vain = s->request->last || strategy_table[s->request->config.strategy]->keeps;
  session_stop(s, in_vain ? 0 : PATIENCE); /* where one execution more changes nothing, it is not waited for */
}

/* Where a process that is about to be killed stands, if it said so. */
static void name_standing(struct session *s)
{
  for (unsigned i = 0; i < s->count && s->limit_reached && !*s->result->stands_at; i++) {
    const struct worker *w = &s->worker[i];
    if (w->pidfd >= 0 && w->control->in_execution && w->control->stuck_answered)
      describe_standing(s->request->target, w->control, w->pid, s->result->stands_at, sizeof s->result->stands_at);
  }
}

static void tick(struct session *s, double now)
{
  double passed = now - s->looked < 2 * TICK ? now - s->looked : 2 * TICK;
  s->looked = now;
  look_for_bugs(s);
  for (unsigned i = 0; i < s->count; i++)
    if (s->worker[i].pidfd >= 0)
      look_for_life(s, &s->worker[i], now, passed);
  look_for_absence(s, now);
  bool enough = s->request->enough && s->request->enough(s->request->context, s->request->division, now - s->started);
  if ((enough || is_late(s, now)) && !s->limit_reached)
    end_by_time(s);
  if (s->kill_at && now >= s->kill_at) {
    name_standing(s);
    kill_all(s);
  }
  if (s->request->corpus)
    corpus_share(s->request->corpus, s->worker, s->count, now, false);
  const struct live live = look_at_progress(s, now);
  note_pace(s, &live, false);
  if (s->request->live)
    live_draw(&live);
}

static void handle_signals(struct session *s)
{
  unsigned now = interrupt_count();
  if (now == s->interrupts)
    return;
  s->interrupts = now;
  if (s->result->end == SESSION_DONE || s->result->end == SESSION_TIME)
    s->result->end = SESSION_INTERRUPTED;
  session_stop(s, PATIENCE);
  if (now > 1)
    kill_all(s);
}

/* ---- the loop ---- */

/* The worker ended by itself, before any limit and without a bug: there are no more executions. */
static bool is_exhausted(const struct session *s, const struct worker *w)
{
  const struct control *c = w->control;
  bool enough = c->config.executions && c->executions + c->cut >= c->config.executions;
  return w->finished && c->state == WORKER_DONE && !c->stop && !enough && s->first_bug == UINT64_MAX;
}

/* Answers come in and jobs go out. */
static void divide(struct session *s, double now)
{
  look_for_bugs(s);
  share_jobs(s, s->kill_at || s->first_bug != UINT64_MAX || s->result->end != SESSION_DONE, now);
}

/* A program with one thread has one execution, whatever the number of workers; and what the first worker had to learn
 * (another reset, more threads) need not be learnt again. */
static void start_others(struct session *s)
{
  const struct worker *first = &s->worker[0];
  const struct control *c = first->control;
  if (!s->waiting || (!first->finished && !c->executions && !c->cut && s->result->end == SESSION_DONE))
    return;
  s->waiting = false;
  look_for_bugs(s);
  bool over = s->result->end != SESSION_DONE || is_exhausted(s, first);
  for (unsigned i = 1; i < s->count; i++) {
    struct worker *w = &s->worker[i];
    if (over || w->control->config.first > s->first_bug) {
      w->finished = true;
      continue;
    }
    w->control->wish = c->wish;
    w->control->wish.reason[0] = 0;
    start_worker(s, w);
  }
}

static bool all_finished(const struct session *s)
{
  for (unsigned i = 0; i < s->count; i++)
    if (!s->worker[i].finished || s->worker[i].pidfd >= 0)
      return false;
  return true;
}

static int milliseconds_to_wait(const struct session *s)
{
  if (s->request->target->client)
    return 1;
  if (s->request->look && !s->planner)
    return LOOK_MS;
  bool soon = s->first_bug != UINT64_MAX || s->waiting;
  for (unsigned i = 0; i < s->count; i++)
    soon |= s->worker[i].asked > 0 || (s->worker[i].pidfd >= 0 && !s->worker[i].told);
  double wait = soon ? TICK_SOON : TICK;
  if (s->kill_at)
    wait = TICK_SOON;
  if (s->planner)
    wait = fmin(wait, s->due - now_seconds());
  if (s->seconds > 0 && !s->limit_reached) {
    double left = s->started + s->seconds - now_seconds();
    wait = left < wait ? left : wait;
  }
  return wait <= 0 ? 0 : (int)(wait * 1000) + 1;
}

/* What happens to processes and comes on wires. */
static void wait_for_news(struct session *s)
{
  struct pollfd *p = s->poll;
  for (unsigned i = 0; i < s->count; i++) {
    *p++ = (struct pollfd){.fd = s->worker[i].pidfd, .events = POLLIN};
    *p++ = (struct pollfd){.fd = s->worker[i].wire.broken ? -1 : s->worker[i].wire.fd, .events = POLLIN};
  }
  *p++ = (struct pollfd){.fd = s->planner && s->planner->fd ? s->planner->fd(s->planner_self) : -1, .events = POLLIN};
  if (news_poll(s->poll, (nfds_t)(p - s->poll), milliseconds_to_wait(s)) < 0 && errno != EINTR)
    session_fail(s, NULL, STATUS_FAILED, "poll: %s", strerror(errno));
}

/* True: a worker has finished. */
static bool look_at_workers(struct session *s)
{
  bool finished = false;
  for (unsigned i = 0; i < s->count; i++) {
    struct worker *w = &s->worker[i];
    bool ended = w->pidfd >= 0 && (w->told ? s->poll[2 * i].revents != 0 : worker_has_ended(w));
    if (w->executor->look) {
      w->executor->look(w);
      note_reset(s, w);
    }
    if (ended && !(w->executor->look && worker_has_answered(w))) { /* the answer is taken first */
      worker_ended(s, w);
      finished |= w->finished;
    }
  }
  return finished;
}

static void watch(struct session *s)
{
  double last_tick = 0;
  while (!all_finished(s)) {
    wait_for_news(s);
    handle_signals(s);
    look_for_damage(s);
    bool finished = look_at_workers(s);
    double now = now_seconds();
    if (s->request->target->client && !s->worker[0].executor->cares)
      client_look(&s->client, s->request->target, s->worker[0].control);
    if (s->request->look)
      s->request->look(s->request->context, s->worker[0].control);
    if (s->planner)
      divide(s, now);
    else
      start_others(s);
    bool limit = s->seconds > 0 && !s->limit_reached && now - s->started >= s->seconds;
    if (finished || limit || s->kill_at || now - last_tick >= (s->first_bug != UINT64_MAX ? TICK_SOON : TICK)) {
      tick(s, now);
      last_tick = now;
    }
  }
}

/* ---- a session ---- */

void give_parts(const struct session *s, struct worker *w)
{
  const struct session_request *q = s->request;
  if (q->schedule)
    worker_give(w, JOB_SCHEDULE, q->schedule, q->schedule->bytes);
  if (q->target->properties)
    worker_give(w, JOB_PROPERTIES, q->target->properties, sizeof *q->target->properties);
  if (q->target->changed)
    worker_give(w, JOB_CHANGED, q->target->changed, changed_map_bytes(q->target->changed));
  if (q->plan)
    worker_give(w, JOB_PLAN, q->plan, sizeof *q->plan);
  if (q->trials)
    worker_give(w, JOB_TRIALS, q->trials, offsetof(struct trials, trial) + q->trials->count * sizeof *q->trials->trial);
  if (q->location)
    worker_give(w, JOB_LOCATIONS, q->location, q->locations * sizeof *q->location);
}

/* Worker k runs the executions k, k + n, k + 2n, … With jobs each has numbers of its own. */
static bool open_workers(struct session *s)
{
  const struct session_request *q = s->request;
  uint64_t total = q->config.executions;
  bool alone = strategy_table[q->config.strategy]->remembers || q->target->client || /* a port is for one server, */
               q->target->init;                                                      /* and so are files */
  unsigned count = q->workers && !alone ? q->workers : 1;
  if (total && total < count && !s->planner)
    count = (unsigned)total;
  s->worker = calloc(count, sizeof *s->worker);
  s->poll = calloc(2 * (size_t)count + 1, sizeof *s->poll);
  if (!s->worker || !s->poll) {
    session_fail(s, NULL, STATUS_FAILED, "no memory left");
    return false;
  }
  for (unsigned k = 0; k < count; k++) {
    struct control_config config = q->config;
    char error[256];
    config.first = s->planner ? 0 : q->config.first + k;
    config.stride = s->planner ? 1 : count;
    config.client = q->target->client ? (uint32_t)fmax(q->grace * 1000, 1) : 0;
    config.put_back = q->target->init != NULL;
    if (config.put_back)
      config.reset = RESET_EXEC;
    config.executions = total ? (total - k + count - 1) / count : 0;
    const struct executor *executor = executor_table[s->planner ? q->executor : EXECUTOR_MEMORY];
    if (!worker_open(&s->worker[k], executor, &config, q->target->input, q->target->input_bytes, error, sizeof error)) {
      session_fail(s, NULL, STATUS_FAILED, "%s", error);
      return false;
    }
    s->count++;
    give_parts(s, &s->worker[k]);
  }
  return true;
}

/* Elsewhere it need not be the first one who finds somebody. */
static struct control *first_that_ran(const struct session *s)
{
  for (unsigned i = 0; i < s->count; i++)
    if (s->worker[i].control->max_steps_seen)
      return s->worker[i].control;
  return s->count ? s->worker[0].control : NULL;
}

/* The memory of the first worker that ran goes to the caller, and that of those who saw the program wait for the
 * outside. */
static void close_session(struct session *s)
{
  struct session_result *r = s->result;
  if (!r->control)
    r->control = first_that_ran(s);
  for (unsigned i = 0; i < s->count; i++) {
    struct control *c = s->worker[i].control;
    if (c == r->control || c == r->outside || c == r->likely_outside)
      s->worker[i].control = NULL;
    worker_close(&s->worker[i]);
  }
  free(s->worker);
  free(s->poll);
  launch_close(&s->launch);
}

/* The session's own limit, or what is left to all of the command. */
static double time_for(const struct session_request *request)
{
  double left = request->last ? seconds_to_finish() : deadline_left();
  if (request->seconds > 0 && request->seconds < left)
    return request->seconds;
  return !isfinite(left) ? 0 : left > 0.001 ? left : 0.001;
}

void session_run(const struct session_request *request, struct session_result *result)
{
  *result = (struct session_result){.end = SESSION_DONE};
  struct session s = {.request = request, .result = result, .first_bug = UINT64_MAX};
  if (request->division)
    request->division->foreseen = (request->live && live_is_drawn()) || request->enough;
  s.planner = request->division && request->config.strategy == STRATEGY_causal ? &courses_planner
              : request->division                                              ? &division_planner
              : request->samples                                               ? &samples_planner
                                                                               : request->planner;
  s.planner_self = request->division  ? (void *)request->division
                   : request->samples ? (void *)request->samples
                                      : request->planner_self;
  s.launch = (struct launch){.null_fd = -1, .library_fd = -1};
  s.started = s.looked = s.absence.alone_since = now_seconds();
  s.seconds = time_for(request);
  s.interrupts = request->last ? interrupt_count() : 0; /* what is done at last was asked for before */
  adopt_orphans();
  news_open();
  signal(SIGXFSZ, SIG_IGN); /* a limit on file sizes becomes an error of ftruncate */
  if (!signals_open()) {
    session_fail(&s, NULL, STATUS_FAILED, "no timer can be made: %s", strerror(errno));
  } else if (!launch_open(&s.launch, request->target)) {
    session_fail(&s, NULL, STATUS_FAILED, "%s", ""); /* it was told already */
  } else if (open_workers(&s)) {
    s.waiting = !s.planner;
    if (request->corpus)
      corpus_share(request->corpus, s.worker, s.count, s.started, false);
    if (s.waiting)
      start_worker(&s, &s.worker[0]);
    else
      divide(&s, s.started);
    watch(&s);
    if (s.planner) /* what came last */
      divide(&s, now_seconds());
    client_end(&s.client);
    end_orphans();
    const struct live live = look_at_progress(&s, now_seconds());
    note_pace(&s, &live, true);
    if (request->corpus)
      corpus_share(request->corpus, s.worker, s.count, now_seconds(), true);
    if (request->samples && result->end != SESSION_DONE)
      samples_end(&s);
    collect(&s);
    end_progress(&s);
  }
  live_erase();
  close_session(&s);
  news_close();
}
