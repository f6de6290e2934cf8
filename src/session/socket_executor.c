/* SPDX-License-Identifier: Apache-2.0
 *
 * The executor over a socket: another process of heddle (agent.c) has the job done and looks after the tested process.
 * It knows what program that is; all else it is told, and all it found out comes back, as messages. The worker's
 * memory is a copy here, of what the agent said last.
 */
#include "session/agent.h"
#include "session/executor.h"
#include "session/worker.h"
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

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

static _Noreturn void become_agent(const struct session_request *request, int wire, pid_t parent)
{
  setsid(); /* a Ctrl-C is for us */
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() == parent)
    agent_run(request, wire);
  _exit(0);
}

static int start(struct worker *w, const struct session_request *request, const struct launch *launch)
{
  (void)launch;
  int ends[2];
  pid_t parent = getpid();
  wire_close(&w->wire);
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    return errno;
  worker_starts(w);
  pid_t pid = fork();
  if (pid == 0) {
    close(ends[0]);
    become_agent(request, ends[1], parent);
  }
  int error = errno;
  close(ends[1]);
  w->wire.fd = ends[0];
  if (pid < 0 || !worker_watch(w, pid))
    return pid < 0 ? error : errno;
  if (w->busy)
    give(w);
  return 0;
}

/* ---- what comes back ---- */

/* Bytes for an area of the worker's memory; more than it holds would be nonsense. */
static void put(struct worker *w, const struct message *m, unsigned part, uint64_t offset, uint64_t most)
{
  if (m->part[part] && m->bytes[part] <= most)
    memcpy(CONTROL_AT(w->control, offset), m->part[part], m->bytes[part]);
}

/* The block as the agent has it, but for what is ours: the settings it was given and what it is asked to do. */
static void put_block(struct worker *w, const struct control *told)
{
  struct control *c = w->control;
  uint32_t stop = c->stop, state = c->state;
  struct work work = c->work;
  memcpy(c, told, sizeof *c);
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
  c->work = work;
}

static void put_all(struct worker *w, const struct message *m)
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
  if (m->part[PART_BLOCK] && m->bytes[PART_BLOCK] == sizeof(struct control))
    put_block(w, m->part[PART_BLOCK]);
  for (size_t i = 0; i < sizeof areas / sizeof *areas; i++)
    put(w, m, areas[i].part, areas[i].offset, areas[i].most);
}

static void take_end(struct worker *w, const struct message *m)
{
  const struct message_failure *f = m->part[PART_FAILURE];
  struct control *c = w->control;
  bool whole = f && m->bytes[PART_FAILURE] == sizeof *f;
  w->lost += whole ? f->lost : 0;
  if (!whole || !f->status) {
    c->state = w->busy ? WORKER_RUNNING : WORKER_DONE; /* an end without an answer is a death */
    return;
  }
  c->state = f->diverged ? WORKER_DIVERGED : WORKER_FAILED;
  memcpy(c->error, f->error, sizeof c->error - 1);
  c->error_pc = f->pc;
  w->failed_status = f->status;
  if (m->part[PART_SAID] && (w->error_output = malloc(m->bytes[PART_SAID] + 1))) {
    memcpy(w->error_output, m->part[PART_SAID], m->bytes[PART_SAID]);
    w->error_output_bytes = m->bytes[PART_SAID];
  }
}

static void look(struct worker *w)
{
  struct message m;
  while (w->control && wire_next(&w->wire, &m)) {
    put_all(w, &m);
    if (m.kind == MESSAGE_ANSWER)
      w->control->state = WORKER_HANDED;
    else if (m.kind == MESSAGE_END)
      take_end(w, &m);
    if (m.kind == MESSAGE_ANSWER)
      return; /* what follows comes after it was taken */
  }
  if (w->wire.broken && w->pidfd >= 0)
    kill(w->pid, SIGKILL); /* it has ended, or makes no sense: what it has not said is lost */
}

const struct executor executor_socket = {
    .start = start, .give = give, .ask = ask, .stop = stop, .let_go = let_go, .look = look, .cares = true};
