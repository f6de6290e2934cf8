/* SPDX-License-Identifier: Apache-2.0
 *
 * The loop that watches the workers of a session. All it knows of the tested process it reads from the control block;
 * all it does to it is to start, ask, stop and kill it. Prints only the live line and notes.
 */
#include "session/supervisor.h"
#include "core/plan.h"
#include "core/rng.h"
#include "core/trials.h"
#include "debuginfo/symbols.h"
#include "report/page/pace.h"
#include "schedule/schedule_file.h"
#include "session/client_process.h"
#include "session/console.h"
#include "session/deadline.h"
#include "session/failure_text.h"
#include "session/launch.h"
#include "session/worker.h"
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define TICK 0.1         /* seconds between two looks at the workers */
#define TICK_SOON 0.002  /* while an answer is due */
#define START_LIMIT 10.0 /* on top of the grace: for what is not the program's own code */
#define ANSWER_LIMIT 1.0 /* for a stuck process to say where it is */
#define PATIENCE 0.3     /* for an execution that is told to end */
#define TELLING 0.2      /* of the time, for what was found beside the search; at most TELLING_MOST */
#define TELLING_MOST 2.0
#define DEATHS_MOST 3    /* in a row without one whole execution */
#define RESTARTS_MOST 16 /* likewise: a change of reset, more threads, larger stacks */

struct session {
  const struct session_request *request;
  struct session_result *result;
  struct launch launch;
  struct worker *worker;
  struct pollfd *poll; /* of each worker */
  unsigned count;
  struct client client; /* of the only worker, if the target has one */
  double started;
  double seconds;      /* there are, 0 for no limit */
  unsigned interrupts; /* seen */
  double looked;       /* at the last tick */
  double kill_at;      /* 0: not stopping */
  uint64_t first_bug;  /* smallest execution that showed a bug that ends the search; UINT64_MAX: none */
  uint32_t told_reset; /* the slowest that the user was told of */
  bool limit_reached;
  bool waiting; /* the other workers start when the first one has shown that there is more than one execution */
};

bool bug_is_fatal(const struct bug *bug, const struct control_config *config)
{
  return bug_ends_execution(bug, config->races, config->leaks);
}

/* ---- ends ---- */

static void stop_all(struct session *s, double patience)
{
  double at = now_seconds() + patience;
  if (!s->kill_at || at < s->kill_at)
    s->kill_at = at;
  for (unsigned i = 0; i < s->count; i++)
    s->worker[i].control->stop = 1;
}

static void kill_all(struct session *s)
{
  for (unsigned i = 0; i < s->count; i++)
    worker_kill(&s->worker[i]);
}

/* The first failure is the one that is told. */
static void fail(struct session *s, struct worker *w, int status, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

static void fail(struct session *s, struct worker *w, int status, const char *format, ...)
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
  stop_all(s, PATIENCE);
}

/* ---- starts ---- */

static void start_worker(struct session *s, struct worker *w)
{
  w->started = true;
  int error = worker_start(w, &s->launch);
  if (!error)
    return;
  bool ours = error == EAGAIN || error == ENOMEM || error == EMFILE || error == ENFILE;
  fail(s, w, ours ? STATUS_FAILED : STATUS_USAGE, "%s cannot be started: %s", s->request->target->label,
       strerror(error));
}

static void name_code(const struct target *target, const struct control *control, uintptr_t pc, char *out, size_t n)
{
  char error[256];
  struct symbols *symbols = symbols_open(target->path, error, sizeof error);
  if (symbols && control->maps_bytes && control->maps_bytes < CONTROL_SIZE_OF(MAPS)) {
    char *maps = strndup(CONTROL_AT(control, CONTROL_MAPS_OFFSET), control->maps_bytes);
    if (maps)
      symbols_load_maps(symbols, maps);
    free(maps);
  }
  symbols_format_place(symbols, pc, out, n);
  symbols_close(symbols);
}

/* The worker wants to go on in another way, for a reason the user should know; each way is told once. */
static void note_reset(struct session *s, struct worker *w)
{
  struct session_result *r = s->result;
  char *reason = w->control->wish.reason;
  reason[sizeof w->control->wish.reason - 1] = 0;
  uint32_t reset = w->control->wish.reset < RESET_COUNT ? w->control->wish.reset : RESET_EXEC;
  if (!*reason || reset <= s->told_reset)
    return;
  s->told_reset = reset;
  char place[160] = "";
  if (w->control->error_pc)
    name_code(s->request->target, w->control, w->control->error_pc, place, sizeof place);
  snprintf(r->reset_reason, sizeof r->reset_reason, "%.180s%s%.60s%s", reason, *place ? " (at " : "", place,
           *place ? ")" : "");
  if (s->request->notes)
    console_note("reset by %s: %s", reset_name[reset], r->reset_reason);
}

/* Fresh processes one after the other; but not for ever without an execution. */
static void start_again(struct session *s, struct worker *w)
{
  note_reset(s, w);
  if (w->control->stop) {
    w->finished = true;
    return;
  }
  uint64_t done = w->control->executions + w->control->cut;
  w->restarts = done == w->progress ? w->restarts + 1 : 0;
  w->progress = done;
  if (w->restarts > RESTARTS_MOST) {
    fail(s, w, STATUS_FAILED, "%s was started %d times without finishing one execution (%s)", s->request->target->label,
         RESTARTS_MOST, w->control->wish.reason[0] ? w->control->wish.reason : "heddle's library asked for it");
    return;
  }
  start_worker(s, w);
}

static void add_bug(struct session_result *r, struct worker *w, const struct bug *bug);

/* The program has written where only heddle writes: nothing that is there says anything any more. */
static void was_damaged(struct session *s, struct worker *w)
{
  worker_kill(w);
  if (w->pidfd >= 0)
    worker_reap(w);
  worker_wipe(w);
  fail(s, w, STATUS_FAILED,
       "%s wrote over memory that it shares with heddle (a wild pointer?), so nothing that it did can be told",
       s->request->target->label);
}

static void look_for_damage(struct session *s)
{
  for (unsigned i = 0; i < s->count; i++)
    if (!worker_is_intact(&s->worker[i]))
      was_damaged(s, &s->worker[i]);
}

/* ---- processes that ended when they should not ---- */

/* What our own library says when it cannot start, or the dynamic linker when it cannot load it, is the error. */
static bool take_boot_error(struct session *s, struct worker *w)
{
  struct session_result *r = s->result;
  static const char prefix[] = "heddle: ";
  const char *text = r->error_output;
  size_t bytes = r->error_output_bytes;
  if (!text)
    return false;
  if (bytes > sizeof prefix && !memcmp(text, prefix, sizeof prefix - 1)) {
    text += sizeof prefix - 1;
    const char *end = memchr(text, '\n', bytes - (sizeof prefix - 1));
    fail(s, w, STATUS_FAILED, "%.*s", (int)(end ? end - text : 0), text);
  } else if (memmem(text, bytes, "cannot be preloaded", 19)) {
    fail(s, w, STATUS_FAILED, "%s could not be loaded into %s; build or install heddle again", s->launch.library,
         s->request->target->label);
  } else {
    return false;
  }
  free(r->error_output);
  r->error_output = NULL;
  return true;
}

static void never_started(struct session *s, struct worker *w, int wait_status)
{
  const char *name = s->request->target->label;
  struct session_result *r = s->result;
  if (r->end == SESSION_FAILED) {
    w->finished = true;
    return;
  }
  r->error_output = worker_output(w, &r->error_output_bytes);
  char end[96];
  describe_end(wait_status, end, sizeof end);
  if (take_boot_error(s, w))
    return;
  if (WIFSIGNALED(wait_status))
    fail(s, w, STATUS_FAILED, "%s was %s before main(), in a constructor or while it was loaded; start it alone to see",
         name, end);
  else if (WEXITSTATUS(wait_status) == 127 && r->error_output)
    fail(s, w, STATUS_USAGE, "%s cannot be loaded", name);
  else
    fail(s, w, STATUS_FAILED, "%s %s before main(), so there was nothing to schedule (does a constructor call exit?)",
         name, end);
}

/* Before the worker's memory goes. */
static void collect_coverage(const struct session *s, const struct worker *w)
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

/* The unit is explored again, by whoever is next; nothing of it was counted. */
static bool lost_unit(struct session *s, struct worker *w)
{
  char error[256];
  const struct target *target = s->request->target;
  for (uint32_t n = 0, bugs = worker_bug_count(w); n < bugs; n++) { /* its memory goes */
    struct bug bug;
    worker_bug(w, n, &bug);
    if (bug.schedule != SCHEDULE_PENDING)
      add_bug(s->result, w, &bug);
  }
  collect_coverage(s, w);
  division_lost(s->request->division, w);
  if (worker_renew(w, target->input, target->input_bytes, error, sizeof error))
    return true;
  fail(s, w, STATUS_FAILED, "%s", error);
  return false;
}

static void died(struct session *s, struct worker *w, int wait_status)
{
  struct control *c = w->control;
  const char *name = s->request->target->label;
  char end[96];
  describe_end(wait_status, end, sizeof end);
  bool lost = c->in_execution; /* else somebody ended it between two: nothing is lost */
  s->result->lost += lost;
  uint64_t done = s->request->division ? s->request->division->tally.executions : c->executions;
  w->deaths = done == w->progress ? w->deaths + 1 : 1;
  w->progress = done;
  bool only_one = c->config.strategy == STRATEGY_replay;
  if (only_one || w->deaths >= DEATHS_MOST) {
    fail(s, w, STATUS_FAILED, "%s of %s lost %s process (%s)%s",
         only_one ? "the execution" : "three executions in a row", name, only_one ? "its" : "their", end,
         !WIFSIGNALED(wait_status)          ? "; it starts other programs: does it replace itself by one (exec)?"
         : WTERMSIG(wait_status) == SIGKILL ? "; is the memory short (see --memory)?"
                                            : "");
    return;
  }
  if (s->request->division) {
    if (s->request->notes && s->result->lost == 1)
      console_note("a worker lost its process (%s); what it had not handed in is explored again", end);
    lost_unit(s, w);
    return;
  }
  if (s->request->notes && lost && s->result->lost == 1)
    console_note("execution %llu lost its process (%s); going on with the next one, more of them are counted",
                 (unsigned long long)c->execution + 1, end);
  if (lost) {
    c->execution += c->config.stride; /* no process runs: the block is ours */
    c->config.first = w->config.first = c->execution;
    c->cut++;
  }
  if (c->stop)
    w->finished = true;
  else
    start_worker(s, w);
}

static void take_error(struct session *s, struct worker *w, enum session_end end)
{
  struct session_result *r = s->result;
  w->finished = true;
  if (r->end == SESSION_FAILED || r->end == SESSION_DIVERGED)
    return;
  w->control->error[sizeof w->control->error - 1] = 0;
  r->error_pc = w->control->error_pc;
  if (end == SESSION_FAILED) {
    fail(s, w, STATUS_FAILED, "%s", w->control->error);
    return;
  }
  snprintf(r->error, sizeof r->error, "%s", w->control->error);
  r->end = end;
  r->status = STATUS_FAILED;
  stop_all(s, PATIENCE);
}

static void worker_ended(struct session *s, struct worker *w)
{
  bool killed = w->killed;
  int wait_status = worker_reap(w);
  if (!worker_is_intact(w)) { /* it may have written until its end */
    was_damaged(s, w);
    return;
  }
  if (killed && w->control->state <= WORKER_AGAIN) {
    w->finished = true;
    return;
  }
  switch (w->control->state) {
  case WORKER_HANDED: /* it waits for a unit, and gets a process with it */
    return;
  case WORKER_STARTING:
    if (s->request->division && WIFSIGNALED(wait_status) && WTERMSIG(wait_status) == SIGKILL && w->progress)
      died(s, w, wait_status);
    else
      never_started(s, w, wait_status);
    return;
  case WORKER_RUNNING:
    died(s, w, wait_status);
    return;
  case WORKER_AGAIN:
    start_again(s, w);
    return;
  case WORKER_DONE:
    w->finished = true;
    return;
  case WORKER_DIVERGED:
    take_error(s, w, SESSION_DIVERGED);
    return;
  default:
    take_error(s, w, SESSION_FAILED);
  }
}

/* ---- looking after processes that run ---- */

static void ask_where(struct session *s, struct worker *w, double now)
{
  if (!w->asked) {
    w->asked = now;
    w->control->stuck_answered = 0;
    kill(w->pid, SIGURG);
    return;
  }
  if (!w->control->stuck_answered && now - w->asked < ANSWER_LIMIT)
    return;
  char line[640];
  describe_stuck(s->request->target, w->control, w->pid, s->request->grace, line, sizeof line);
  fail(s, NULL, STATUS_FAILED, "%s", line);
  worker_kill(w);
}

/* passed: seconds since the last look, but never more than we slept: a suspended machine is no stuck program. */
static void look_for_life(struct session *s, struct worker *w, double now, double passed)
{
  struct control *c = w->control;
  if (c->state == WORKER_HANDED)
    return;
  uint64_t sign = c->heartbeat + c->executions + c->cut + c->state;
  if (sign != w->seen && w->asked && c->stuck_answered && c->stuck_syscall >= 0) {
    ask_where(s, w, now); /* the question itself interrupted the system call it stood in; now it is there again */
    return;
  }
  if (sign != w->seen) {
    w->seen = sign;
    w->still = 0;
    w->asked = 0;
    return;
  }
  w->still += passed;
  double grace = s->request->grace;
  if (c->in_execution && w->still >= grace) {
    ask_where(s, w, now);
  } else if (!c->in_execution && w->still >= grace + START_LIMIT) {
    bool starting = c->state == WORKER_STARTING;
    fail(s, NULL, STATUS_FAILED, "%s %s for %.0f s%s", s->request->target->label,
         starting ? "did not get to main()" : "was not put back to its start", w->still,
         starting ? "; does a constructor block? (raise --grace if it is only slow)" : "; try --reset exec");
    worker_kill(w);
  }
}

/* Whether one schedule ended with another exit status than the next. A worker sees its own executions only. */
static bool exits_differ(const struct session *s)
{
  const struct control *first = NULL;
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

/* A bug ends the search, but only when all executions before it were run: so the result is that of one worker. */
static void look_for_bugs(struct session *s)
{
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
  if (s->request->division && s->first_bug != UINT64_MAX)
    s->first_bug = UINT64_MAX - 1; /* its number says nothing about the others */
  for (unsigned i = 0; i < s->count && s->first_bug != UINT64_MAX; i++)
    if (s->request->division || s->worker[i].control->execution > s->first_bug)
      s->worker[i].control->stop = 1;
}

static struct live look_at_progress(const struct session *s, double now)
{
  struct live live = {.elapsed = now - s->started, .left = -1, .total = s->request->config.executions};
  for (unsigned i = 0; i < s->count; i++) {
    live.executions += s->worker[i].control->executions;
    live.bugs += worker_bug_count(&s->worker[i]);
  }
  const struct division *d = s->request->division;
  struct forecast_answer answer;
  if (d) {
    live.executions = division_executions(d, s->worker, s->count);
    if (forecast_get(&d->forecast, &answer))
      live.estimate = answer.total;
  }
  if (s->seconds > 0)
    live.left = s->seconds > live.elapsed ? s->seconds - live.elapsed : 0;
  return live;
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
    if (w->pidfd < 0 || !w->control->in_execution || w->still < TICK || w->asked)
      continue;
    w->control->stuck_answered = 0;
    kill(w->pid, SIGURG);
  }
  bool in_vain = s->request->last || strategy_table[s->request->config.strategy]->keeps;
  stop_all(s, in_vain ? 0 : PATIENCE); /* where one execution more changes nothing, it is not waited for */
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
  bool enough = s->request->enough && s->request->enough(s->request->context, s->request->division, now - s->started);
  if ((enough || is_late(s, now)) && !s->limit_reached)
    end_by_time(s);
  if (s->kill_at && now >= s->kill_at) {
    name_standing(s);
    kill_all(s);
  }
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
  stop_all(s, PATIENCE);
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

/* An exhaustive search: units come in and go out; whoever has one gets a process. */
static void divide(struct session *s, double now)
{
  struct division *d = s->request->division;
  bool stopping = s->kill_at || s->first_bug != UINT64_MAX || s->result->end != SESSION_DONE ||
                  (d->limit && d->tally.executions >= d->limit);
  look_for_bugs(s);
  division_look(d, s->worker, s->count, stopping || s->first_bug != UINT64_MAX, now);
  if (d->failed)
    fail(s, NULL, STATUS_FAILED, "%s", d->error);
  for (unsigned i = 0; i < s->count; i++)
    if (s->worker[i].wanted) {
      s->worker[i].wanted = false;
      if (i && !s->worker[i].started) { /* what the first one had to learn need not be learnt again */
        s->worker[i].control->wish = s->worker[0].control->wish;
        s->worker[i].control->wish.reason[0] = 0;
      }
      start_worker(s, &s->worker[i]);
    }
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
  if (s->request->division && s->request->division->hurried)
    return 0;
  if (s->request->look || s->request->target->client)
    return 1;
  bool soon = s->first_bug != UINT64_MAX || s->waiting || s->request->division;
  for (unsigned i = 0; i < s->count; i++)
    soon |= s->worker[i].asked > 0 || (s->worker[i].pidfd >= 0 && !s->worker[i].told);
  double wait = soon ? TICK_SOON : TICK;
  if (s->kill_at)
    wait = TICK_SOON;
  if (s->seconds > 0 && !s->limit_reached) {
    double left = s->started + s->seconds - now_seconds();
    wait = left < wait ? left : wait;
  }
  return wait <= 0 ? 0 : (int)(wait * 1000) + 1;
}

static void watch(struct session *s)
{
  double last_tick = 0;
  while (!all_finished(s)) {
    for (unsigned i = 0; i < s->count; i++)
      s->poll[i] = (struct pollfd){.fd = s->worker[i].pidfd, .events = POLLIN};
    if (poll(s->poll, s->count, milliseconds_to_wait(s)) < 0 && errno != EINTR)
      fail(s, NULL, STATUS_FAILED, "poll: %s", strerror(errno));
    handle_signals(s);
    look_for_damage(s);
    bool ended = false;
    for (unsigned i = 0; i < s->count; i++)
      if (s->worker[i].pidfd >= 0 && (s->worker[i].told ? s->poll[i].revents != 0 : worker_has_ended(&s->worker[i]))) {
        worker_ended(s, &s->worker[i]);
        ended |= s->worker[i].finished;
      }
    double now = now_seconds();
    if (s->request->target->client)
      client_look(&s->client, s->request->target, s->worker[0].control);
    if (s->request->look)
      s->request->look(s->request->context, s->worker[0].control);
    if (s->request->division)
      divide(s, now);
    else
      start_others(s);
    bool limit = s->seconds > 0 && !s->limit_reached && now - s->started >= s->seconds;
    if (ended || limit || s->kill_at || now - last_tick >= (s->first_bug != UINT64_MAX ? TICK_SOON : TICK)) {
      tick(s, now);
      last_tick = now;
    }
  }
}

/* ---- results ---- */

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
  *slot = (struct session_bug){*bug, schedule};
  slot->bug.detectors = detectors;
}

static int by_execution(const void *a, const void *b)
{
  const struct session_bug *x = a, *y = b;
  if (x->bug.execution != y->bug.execution)
    return x->bug.execution < y->bug.execution ? -1 : 1;
  return x->bug.step < y->bug.step ? -1 : x->bug.step > y->bug.step;
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
  r->hash = s->count == 1 ? c->session_hash : mix64(r->hash ^ c->session_hash);
  if (c->max_threads_seen > r->max_threads)
    r->max_threads = c->max_threads_seen;
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
  collect_coverage(s, w);
  r->bugs_left_out |= c->bugs_left_out != 0;
  for (uint32_t n = 0, bugs = worker_bug_count(w); n < bugs; n++) {
    struct bug bug;
    worker_bug(w, n, &bug);
    if (s->first_bug == UINT64_MAX || bug.execution <= s->first_bug)
      add_bug(r, w, &bug);
  }
}

/* That of the first execution known to have come to its exit, -1 for none. */
static int64_t exit_status(const struct session *s)
{
  for (unsigned i = 0; i < s->count; i++)
    if (s->worker[i].control->exits.seen)
      return s->worker[i].control->exits.first;
  return -1;
}

static void collect(struct session *s)
{
  struct session_result *r = s->result;
  bool done = s->count > 0;
  for (unsigned i = 0; i < s->count; i++) {
    struct worker *w = &s->worker[i];
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
    bool finished = frontier_is_finished(&d->frontier) && !d->failed;
    r->missed |= d->incomplete;
    r->finished = finished;
    r->bounded = finished && d->bounded;
    r->complete = finished && !d->bounded && !r->missed;
  }
  if (s->request->covered)
    s->request->covered->executions += r->executions + r->cut;
  r->exhausted = !d && done && s->first_bug == UINT64_MAX && r->end == SESSION_DONE;
  if (r->bug_count)
    qsort(r->bugs, r->bug_count, sizeof *r->bugs, by_execution);
  if (strategy_table[s->request->config.strategy]->keeps && s->count)
    r->best = worker_schedule(&s->worker[0], s->worker[0].control->best_schedule);
  r->seconds = now_seconds() - s->started;
}

/* ---- what programs leave behind ---- */

static bool adopting;

static FILE *open_children(void)
{
  char path[64];
  snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
  return fopen(path, "re");
}

/* Processes that the program started and that left its session come to us when their parents end. Not if we were
 * started with children already, as by a shell's exec: those are not ours to end. */
static void adopt_orphans(void)
{
  static bool tried;
  FILE *children = tried ? NULL : open_children();
  tried = true;
  int pid;
  if (children && fscanf(children, "%d", &pid) != 1)
    adopting = prctl(PR_SET_CHILD_SUBREAPER, 1L, 0L, 0L, 0L) == 0;
  if (children)
    fclose(children);
}

/* When no worker runs, all our children are such. They may have children in turn, which come to us next. */
static void end_orphans(void)
{
  bool any = adopting;
  for (int round = 0; any && round < 200; round++) {
    FILE *children = open_children();
    int pid;
    any = false;
    while (children && fscanf(children, "%d", &pid) == 1) {
      any = true;
      kill(pid, SIGKILL);
    }
    if (children)
      fclose(children);
    if (any)
      usleep(1000);
    while (waitpid(-1, NULL, WNOHANG) > 0)
      ;
  }
}

/* ---- a session ---- */

/* Worker k runs the executions k, k + n, k + 2n, … */
static bool open_workers(struct session *s)
{
  const struct session_request *q = s->request;
  uint64_t total = q->config.executions;
  bool alone = strategy_table[q->config.strategy]->remembers || q->target->client; /* a port is for one server */
  unsigned count = q->workers && !alone ? q->workers : 1;
  if (total && total < count && !q->division)
    count = (unsigned)total;
  s->worker = calloc(count, sizeof *s->worker);
  s->poll = calloc(count, sizeof *s->poll);
  if (!s->worker || !s->poll) {
    fail(s, NULL, STATUS_FAILED, "no memory left");
    return false;
  }
  for (unsigned k = 0; k < count; k++) {
    struct control_config config = q->config;
    char error[256];
    config.first = k;
    config.stride = count;
    config.client = q->target->client ? (uint32_t)fmax(q->grace * 1000, 1) : 0;
    config.executions = total ? (total - k + count - 1) / count : 0;
    if (!worker_open(&s->worker[k], &config, q->target->input, q->target->input_bytes, error, sizeof error)) {
      fail(s, NULL, STATUS_FAILED, "%s", error);
      return false;
    }
    s->count++;
    if (q->schedule)
      worker_give(&s->worker[k], JOB_SCHEDULE, q->schedule, q->schedule->bytes);
    if (q->plan)
      worker_give(&s->worker[k], JOB_PLAN, q->plan, sizeof *q->plan);
    if (q->trials)
      worker_give(&s->worker[k], JOB_TRIALS, q->trials,
                  offsetof(struct trials, trial) + q->trials->count * sizeof *q->trials->trial);
  }
  return true;
}

/* The memory of the first worker goes to the caller, and that of those who saw the program wait for the outside. */
static void close_session(struct session *s)
{
  struct session_result *r = s->result;
  if (s->count)
    r->control = s->worker[0].control;
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
  s.launch = (struct launch){.null_fd = -1, .library_fd = -1};
  s.started = s.looked = now_seconds();
  s.seconds = time_for(request);
  s.interrupts = request->last ? interrupt_count() : 0; /* what is done at last was asked for before */
  adopt_orphans();
  signal(SIGXFSZ, SIG_IGN); /* a limit on file sizes becomes an error of ftruncate */
  if (!signals_open()) {
    fail(&s, NULL, STATUS_FAILED, "no timer can be made: %s", strerror(errno));
  } else if (!launch_open(&s.launch, request->target)) {
    fail(&s, NULL, STATUS_FAILED, "%s", ""); /* it was told already */
  } else if (open_workers(&s)) {
    s.waiting = !request->division;
    if (s.waiting)
      start_worker(&s, &s.worker[0]);
    else
      divide(&s, s.started);
    watch(&s);
    if (request->division) /* what came last */
      divide(&s, now_seconds());
    client_end(&s.client);
    end_orphans();
    const struct live live = look_at_progress(&s, now_seconds());
    note_pace(&s, &live, true);
    collect(&s);
  }
  live_erase();
  close_session(&s);
}

static void give_back(struct control *control)
{
  if (control)
    munmap(control, CONTROL_MAPPING_SIZE);
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
