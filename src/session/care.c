/* SPDX-License-Identifier: Apache-2.0
 *
 * The processes of workers: started, started again, seen to end or to stand still. What a process has done wrong
 * becomes the session's failure, in one line; what it found is not looked at here.
 */
#include "core/strategy.h"
#include "debuginfo/symbols.h"
#include "session/console.h"
#include "session/executor.h"
#include "session/failure_text.h"
#include "session/images.h"
#include "session/init_command.h"
#include "session/session.h"
#include "session/share.h"
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#define START_LIMIT 10.0 /* on top of the grace: for what is not the program's own code */
#define ANSWER_LIMIT 1.0 /* for a stuck process to say where it is */
#define DEATHS_MOST 3    /* in a row without one whole execution */
#define KILLS_MOST 16    /* likewise, of processes that somebody else killed, or a kernel without memory, */
#define LIVES_MOST 200   /* and of those that had whole executions, none of which could be handed in */
#define RESTARTS_MOST 16 /* likewise: a change of reset, more threads, larger stacks */

/* ---- starts ---- */

void start_worker(struct session *s, struct worker *w)
{
  w->started = true;
  int failed = s->request->target->init ? init_command_run(s->request->target) : 0;
  if (failed) {
    session_fail(s, w, STATUS_FAILED, "the command of --init failed (status %d), so the program was not started",
                 WIFEXITED(failed) ? WEXITSTATUS(failed) : 128 + WTERMSIG(failed));
    return;
  }
  int error = w->executor->start(w, s->request, &s->launch);
  if (!error)
    return;
  bool ours = error == EAGAIN || error == ENOMEM || error == EMFILE || error == ENFILE || error == EBADF;
  session_fail(s, w, ours ? STATUS_FAILED : STATUS_USAGE, "%s cannot be started: %s", s->request->target->label,
               start_problem(error));
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
  images_load(symbols, control);
  symbols_format_place(symbols, pc, out, n);
  symbols_close(symbols);
}

void note_reset(struct session *s, struct worker *w)
{
  struct session_result *r = s->result;
  char *reason = w->control->wish.reason;
  reason[sizeof w->control->wish.reason - 1] = 0;
  uint32_t reset = w->control->wish.reset < RESET_COUNT ? w->control->wish.reset : RESET_EXEC;
  if (!*reason || reset <= r->told_reset)
    return;
  r->told_reset = reset;
  char place[160] = "";
  if (w->control->error_pc)
    name_code(s->request->target, w->control, w->control->error_pc, place, sizeof place);
  if (*place)
    snprintf(r->reset_reason, sizeof r->reset_reason, "%.180s (at %.60s)", reason, place);
  else
    snprintf(r->reset_reason, sizeof r->reset_reason, "%.255s", reason);
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
    session_fail(s, w, STATUS_FAILED, "%s was started %d times without finishing one execution (%s)",
                 s->request->target->label, RESTARTS_MOST,
                 w->control->wish.reason[0] ? w->control->wish.reason : "heddle's library asked for it");
    return;
  }
  start_worker(s, w);
}

/* The program has written where only heddle writes: nothing that is there says anything any more. */
static void was_damaged(struct session *s, struct worker *w)
{
  worker_kill(w);
  if (w->pidfd >= 0)
    worker_reap(w);
  worker_wipe(w);
  session_fail(s, w, STATUS_FAILED,
               "%s wrote over memory that it shares with heddle (a wild pointer?), so nothing that it did can be told",
               s->request->target->label);
}

void look_for_damage(struct session *s)
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
    session_fail(s, w, STATUS_FAILED, "%.*s", (int)(end ? end - text : 0), text);
  } else if (memmem(text, bytes, "cannot be preloaded", 19)) {
    session_fail(s, w, STATUS_FAILED, "%s could not be loaded into %s; build or install heddle again",
                 s->launch.library, s->request->target->label);
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
    session_fail(s, w, STATUS_FAILED,
                 "%s was %s before main(), in a constructor or while it was loaded; start it alone to see", name, end);
  else if (WEXITSTATUS(wait_status) == 127 && r->error_output)
    session_fail(s, w, STATUS_USAGE, "%s cannot be loaded", name);
  else
    session_fail(s, w, STATUS_FAILED,
                 "%s %s before main(), so there was nothing to schedule (does a constructor call exit?)", name, end);
}

/* The unit is explored again, by whoever is next; nothing of it was counted. */
static bool lost_unit(struct session *s, struct worker *w, int wait_status)
{
  char error[256];
  const struct target *target = s->request->target;
  if (!s->request->samples) { /* its memory goes */
    collect_bugs(s, w);
    collect_coverage(s, w);
  }
  share_lost(s, w, wait_status);
  if (worker_renew(w, target->input, target->input_bytes, error, sizeof error)) {
    give_parts(s, w);
    return true;
  }
  session_fail(s, w, STATUS_FAILED, "%s", error);
  return false;
}

/* Who did the jobs elsewhere is not to be found any more: with its machine, or by a wire that was cut. It may answer
 * yet, but nobody hears it. */
static void is_gone(struct session *s, struct worker *w)
{
  if (w->busy && s->request->notes && !s->result->gone)
    console_note("a worker is gone; what it had not handed in is explored again by others");
  s->result->gone += w->busy;
  lost_unit(s, w, 0);
}

/* By somebody else (a killer of processes, a kernel without memory): the program itself is not to blame. */
static bool was_killed(int wait_status)
{
  return WIFSIGNALED(wait_status) && WTERMSIG(wait_status) == SIGKILL;
}

/* Another one may get further: whoever kills cannot be known, and may be done with it. A planner asks sooner for what
 * it has after a loss, so that one whole execution is progress that can be kept. */
static unsigned deaths_most(const struct control *c, int wait_status)
{
  return !was_killed(wait_status) ? DEATHS_MOST : c->executions + c->blocked + c->cut ? LIVES_MOST : KILLS_MOST;
}

static void died(struct session *s, struct worker *w, int wait_status)
{
  struct control *c = w->control;
  const char *name = s->request->target->label;
  char end[96];
  describe_end(wait_status, end, sizeof end);
  bool lost = c->in_execution; /* else somebody ended it between two: nothing is lost */
  s->result->lost += lost;
  uint64_t done = s->planner ? s->taken : c->executions;
  w->deaths = done == w->progress ? w->deaths + 1 : 1;
  w->progress = done;
  bool only_one = c->config.strategy == STRATEGY_replay;
  if ((only_one && !was_killed(wait_status)) || w->deaths >= deaths_most(c, wait_status)) {
    session_fail(s, w, STATUS_FAILED, "%s of %s lost %s process (%s)%s",
                 only_one ? "the execution" : "several executions in a row", name, only_one ? "its" : "their", end,
                 !WIFSIGNALED(wait_status) ? "; it starts other programs: does it replace itself by one (exec)?"
                 : was_killed(wait_status) ? "; is the memory short (see --memory)?"
                                           : "");
    return;
  }
  if (s->planner) {
    if (s->request->notes && lost && s->result->lost == 1)
      console_note("a worker lost its process (%s); what it had not handed in is explored again", end);
    lost_unit(s, w, wait_status);
    return;
  }
  if (s->request->notes && lost && !only_one && s->result->lost == 1)
    console_note("execution %llu lost its process (%s); going on with the next one, more of them are counted",
                 (unsigned long long)c->execution + 1, end);
  if (lost && !only_one) {
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
  const struct message_ending *told = w->ending.status ? &w->ending : NULL;
  const char *error = told ? told->error : w->control->error;
  r->error_pc = told ? told->pc : w->control->error_pc;
  if (end == SESSION_FAILED) {
    r->error_output = w->error_output;
    r->error_output_bytes = w->error_output_bytes;
    w->error_output = NULL;
    session_fail(s, w, told ? told->status : STATUS_FAILED, "%s", error);
    return;
  }
  snprintf(r->error, sizeof r->error, "%s", error);
  r->end = end;
  r->status = STATUS_FAILED;
  session_stop(s, PATIENCE);
}

void worker_ended(struct session *s, struct worker *w)
{
  bool killed = w->killed;
  int wait_status = worker_reap(w);
  if (w->ending.died)
    wait_status = w->ending.wait_status;
  if (w->ending.gone && !killed) {
    is_gone(s, w);
    return;
  }
  if (!worker_is_intact(w)) { /* it may have written until its end */
    was_damaged(s, w);
    return;
  }
  note_reset(s, w);
  if (killed && w->control->state <= WORKER_AGAIN) {
    w->finished = true;
    return;
  }
  switch (w->control->state) {
  case WORKER_HANDED: /* it waits for a unit, and gets a process with it */
    return;
  case WORKER_STARTING:
    if (was_killed(wait_status) && w->deaths + 1 < KILLS_MOST)
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
  session_fail(s, NULL, STATUS_FAILED, "%s", line);
  worker_kill(w);
}

void look_for_life(struct session *s, struct worker *w, double now, double passed)
{
  struct control *c = w->control;
  if (c->state == WORKER_HANDED || s->request->relay) /* the relay says if nobody is to be found any more */
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
  if (w->executor->cares) {
    if (w->still >= grace + 2 * START_LIMIT) {
      session_fail(s, NULL, STATUS_FAILED, "the process of heddle that runs %s said nothing for %.0f s",
                   s->request->target->label, w->still);
      worker_kill(w);
    }
    return;
  }
  if (c->in_execution && w->still >= grace) {
    ask_where(s, w, now);
  } else if (!c->in_execution && w->still >= grace + START_LIMIT) {
    bool starting = c->state == WORKER_STARTING;
    session_fail(s, NULL, STATUS_FAILED, "%s %s for %.0f s%s", s->request->target->label,
                 starting ? "did not get to main()" : "was not put back to its start", w->still,
                 starting ? "; does a constructor block? (raise --grace if it is only slow)" : "; try --reset exec");
    worker_kill(w);
  }
}
