/* SPDX-License-Identifier: Apache-2.0
 *
 * The executor over a socket: another process of heddle (agent.c) has the job done and looks after the tested process.
 * It knows what program that is; all else it is told, and all it found out comes back, as messages. The worker's
 * memory is a copy here, of what the agent said last.
 */
#include "session/agent.h"
#include "session/executor.h"
#include "session/supervisor.h"
#include "session/worker.h"
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#define UNREAD_MOST 2000 /* milliseconds */

static void tell(struct worker *w, enum message_kind kind)
{
  const struct message message = {.kind = kind};
  wire_send(&w->wire, &message);
}

static void give(struct worker *w)
{
  struct message message = {.kind = MESSAGE_JOB};
  const struct job job = control_job(w->control);
  message.part[PART_CONFIG] = &w->config;
  message.bytes[PART_CONFIG] = sizeof w->config;
  for (unsigned i = 0; i < JOB_PART_COUNT; i++)
    if (job.bytes[i] && i != JOB_INPUT) { /* that belongs to the program */
      message.part[PART_JOB + i] = job.part[i];
      message.bytes[PART_JOB + i] = job.bytes[i];
    }
  w->control->state = WORKER_RUNNING;
  wire_send(&w->wire, &message);
}

static void ask(struct worker *w)
{
  if (!w->control->work.asked)
    tell(w, MESSAGE_ASK);
  w->control->work.asked = 1;
}

static void stop(struct worker *w)
{
  if (!w->control->stop)
    tell(w, MESSAGE_STOP);
  w->control->stop = 1;
}

static void let_go(struct worker *w)
{
  tell(w, MESSAGE_OVER);
  w->control->state = WORKER_RUNNING; /* until it says that it has ended */
}

/* ---- starting ---- */

static int start(struct worker *w, const struct session_request *request, const struct launch *launch)
{
  (void)launch;
  int wire;
  wire_close(&w->wire);
  w->ending = (struct message_ending){0};
  worker_starts(w);
  pid_t pid = agent_start(request, request->relay ? request->relay : agent_run, &wire);
  if (pid < 0)
    return errno;
  w->wire = (struct wire){.fd = wire, .patience = UNREAD_MOST};
  if (!worker_watch(w, pid))
    return errno;
  if (w->busy)
    give(w);
  return 0;
}

/* ---- what comes back ---- */

/* Bytes for an area of the worker's memory. False: it does not hold so many. */
static bool put(struct worker *w, const struct message *m, unsigned part, uint64_t offset, uint64_t most)
{
  if (m->bytes[part] > most)
    return false;
  if (m->part[part])
    memcpy(CONTROL_AT(w->control, offset), m->part[part], m->bytes[part]);
  return true;
}

/* The block as the agent has it, but for what is ours: the settings and the job it was given, and what it is asked to
 * do. */
static void put_block(struct worker *w, const struct control *told)
{
  struct control *c = w->control;
  uint32_t stop = c->stop, state = c->state;
  struct work work = c->work;
  uint64_t job_bytes[JOB_PART_COUNT];
  memcpy(job_bytes, c->job_bytes, sizeof job_bytes);
  memcpy(c, told, sizeof *c);
  memcpy(c->job_bytes, job_bytes, sizeof job_bytes);
  uint32_t instrumented = c->config.instrumented, calls = c->config.calls;
  struct watched_call call[WATCHED_CALLS];
  memcpy(call, c->config.call, sizeof call);
  c->config = w->config;
  c->config.instrumented = instrumented;
  c->config.calls = calls;
  memcpy(c->config.call, call, sizeof call);
  c->stop = stop;
  c->state = state;
  work.learnt = c->work.learnt;
  work.worked = c->work.worked;
  c->work = work;
}

/* False: there is more of something than there can be. */
static bool put_all(struct worker *w, const struct message *m, const struct control *told)
{
  static const struct {
    unsigned part;
    uint64_t offset, most;
  } areas[] = {{PART_MAPS, CONTROL_MAPS_OFFSET, CONTROL_SIZE_OF(MAPS)},
               {PART_POOL, CONTROL_POOL_OFFSET, CONTROL_SIZE_OF(POOL)},
               {PART_OUTPUT, CONTROL_OUTPUT_OFFSET, CONTROL_SIZE_OF(OUTPUT)},
               {PART_TRACE, CONTROL_TRACE_OFFSET, CONTROL_SIZE_OF(TRACE)},
               {PART_COVERAGE, CONTROL_COVERAGE_OFFSET, CONTROL_SIZE_OF(COVERAGE)},
#define X(id, most) {PART_ANSWER + ANSWER_##id, ANSWER_##id##_OFFSET, most},
               HD_ANSWER_PARTS(X)
#undef X
  };
  if (told)
    put_block(w, told);
  for (size_t i = 0; i < sizeof areas / sizeof *areas; i++)
    if (!put(w, m, areas[i].part, areas[i].offset, areas[i].most))
      return false;
  for (unsigned i = 0; i < ANSWER_PART_COUNT; i++) /* no more than came */
    w->control->answer_bytes[i] = m->bytes[PART_ANSWER + i];
  return true;
}

static void take_what_was_said(struct worker *w, const struct message *m)
{
  free(w->error_output);
  w->error_output = m->part[PART_SAID] ? malloc(m->bytes[PART_SAID] + 1) : NULL;
  w->error_output_bytes = w->error_output ? m->bytes[PART_SAID] : 0;
  if (w->error_output)
    memcpy(w->error_output, m->part[PART_SAID], w->error_output_bytes);
}

/* The state that the worker's own process would have left behind. */
static uint32_t state_at_end(const struct worker *w, uint32_t told)
{
  const struct message_ending *e = &w->ending;
  if (e->status)
    return e->diverged ? WORKER_DIVERGED : WORKER_FAILED;
  if (e->died)
    return told == WORKER_STARTING ? WORKER_STARTING : WORKER_RUNNING;
  return w->busy ? WORKER_AGAIN : WORKER_DONE;
}

/* False: it makes no sense. */
static bool take_message(struct worker *w, const struct message *m)
{
  const struct control *told = m->bytes[PART_BLOCK] == sizeof *told ? m->part[PART_BLOCK] : NULL;
  const struct message_ending *ending = m->part[PART_ENDING];
  if (!put_all(w, m, told))
    return false;
  switch (m->kind) {
  case MESSAGE_READY:
    w->control->state = WORKER_HANDED;
    return !w->busy;
  case MESSAGE_PROGRESS:
    if (told)
      w->control->state = told->state == WORKER_STARTING ? WORKER_STARTING : WORKER_RUNNING;
    return told && w->busy;
  case MESSAGE_ANSWER:
    if (told)
      w->control->state = told->state == WORKER_DONE ? WORKER_DONE : WORKER_HANDED;
    return told && w->busy;
  case MESSAGE_END:
    if (!ending || m->bytes[PART_ENDING] != sizeof *ending)
      return false;
    w->ending = *ending;
    w->ending.error[sizeof w->ending.error - 1] = 0;
    w->control->state = state_at_end(w, told ? told->state : WORKER_RUNNING);
    take_what_was_said(w, m);
    return true;
  default:
    return false;
  }
}

static void look(struct worker *w)
{
  struct message m;
  bool sense = true;
  while (sense && w->control && !worker_has_answered(w) && wire_next(&w->wire, &m)) /* an answer is taken first */
    sense = take_message(w, &m);
  w->wire.broken |= !sense;
  if (w->wire.broken && w->pidfd >= 0)
    kill(w->pid, SIGKILL); /* it has ended, or makes no sense: what it has not said is lost */
}

const struct executor executor_socket = {
    .start = start, .give = give, .ask = ask, .stop = stop, .let_go = let_go, .look = look, .cares = true};
