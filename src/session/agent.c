/* SPDX-License-Identifier: Apache-2.0
 *
 * Who does jobs for another process of heddle: a session of one worker that shares memory with the tested program. Its
 * planner plans nothing: its jobs come from a wire, and its answers go there. Prints nothing.
 */
#include "session/agent.h"
#include "explore/unit.h"
#include "session/console.h"
#include "session/planner.h"
#include "session/supervisor.h"
#include "session/worker.h"
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#define TELL_FIRST 0.05 /* seconds until it first says how far a job is; */
#define TELL_MOST 0.4   /* then twice as long each time, up to that: a word is nearly a megabyte */

struct agent {
  struct wire wire;
  struct control_config config;
  void *job[JOB_PART_COUNT]; /* that is being done, or to be done; malloc'ed */
  uint64_t bytes[JOB_PART_COUNT];
  bool waiting; /* for somebody to do it */
  bool doing;
  bool asked;
  bool nonsense; /* what came makes none */
  bool ended;    /* it was told how */
  enum outlook outlook;
  struct control block;        /* as it is told: what the worker says of itself, at one moment */
  uint64_t maps, pool;         /* bytes that were sent before: they only grow */
  double told_at, tells_after; /* how far it is: when, and again after how many seconds */
  uint32_t told_reset;
  struct session_result result;
};

/* ---- what it says ---- */

static void add_area(struct message *m, unsigned part, const struct control *c, uint64_t offset, uint64_t bytes,
                     uint64_t most)
{
  if (!bytes || bytes > most)
    return;
  m->part[part] = CONTROL_AT(c, offset);
  m->bytes[part] = bytes;
}

/* Why the program is put back to its start in another way is known here, with the place: the process that had it is
 * gone. */
static void tell_reset(struct agent *a)
{
  const struct session_result *r = &a->result;
  struct wish *wish = &a->block.wish;
  bool known = wish->reset == r->told_reset;
  snprintf(wish->reason, sizeof wish->reason, "%s", known ? r->reset_reason : "");
  a->block.error_pc = 0;
  a->told_reset = r->told_reset;
}

/* The process goes on meanwhile: a schedule is in the pool before the bug that has it is in the block, so the block is
 * read first, and the pool as far as that says. */
static void add_block(struct agent *a, struct message *m, const struct control *c)
{
  a->block = *c;
  tell_reset(a);
  m->part[PART_BLOCK] = &a->block;
  m->bytes[PART_BLOCK] = sizeof a->block;
  if (a->block.maps_bytes != a->maps)
    add_area(m, PART_MAPS, c, CONTROL_MAPS_OFFSET, a->block.maps_bytes, CONTROL_SIZE_OF(MAPS));
  if (a->block.pool_used != a->pool)
    add_area(m, PART_POOL, c, CONTROL_POOL_OFFSET, a->block.pool_used, CONTROL_SIZE_OF(POOL));
  a->maps = a->block.maps_bytes;
  a->pool = a->block.pool_used;
}

/* The last word. c: the memory of the worker, which runs no more; NULL: there was none. */
static void tell_end(struct agent *a, struct message_ending *ending, const struct control *c, const char *said,
                     size_t said_bytes)
{
  struct message m = {.kind = MESSAGE_END};
  m.part[PART_ENDING] = ending;
  m.bytes[PART_ENDING] = sizeof *ending;
  m.part[PART_SAID] = said;
  m.bytes[PART_SAID] = said_bytes;
  if (c) {
    a->maps = a->pool = 0;
    add_block(a, &m, c);
    uint64_t events = c->trace_events < CONTROL_TRACE_MAX ? c->trace_events : CONTROL_TRACE_MAX;
    add_area(&m, PART_OUTPUT, c, CONTROL_OUTPUT_OFFSET, c->output_bytes, CONTROL_SIZE_OF(OUTPUT));
    add_area(&m, PART_TRACE, c, CONTROL_TRACE_OFFSET,
             c->config.trace ? (events + c->trace_left) * sizeof(struct trace_event) : 0, CONTROL_SIZE_OF(TRACE));
    add_area(&m, PART_COVERAGE, c, CONTROL_COVERAGE_OFFSET, c->config.coverage ? sizeof(struct coverage) : 0,
             CONTROL_SIZE_OF(COVERAGE));
  }
  a->ended = true;
  wire_send(&a->wire, &m);
}

static void tell_result(struct agent *a)
{
  const struct session_result *r = &a->result;
  struct message_ending ending = {.diverged = r->end == SESSION_DIVERGED, .pc = r->error_pc};
  if (r->end == SESSION_FAILED || r->end == SESSION_DIVERGED)
    ending.status = r->status;
  memcpy(ending.error, r->error, sizeof ending.error);
  tell_end(a, &ending, r->control, r->error_output, r->error_output_bytes);
}

/* Now and then, while a worker runs. */
static void tell_progress(void *context, struct control *control)
{
  struct agent *a = context;
  double now = now_seconds();
  struct message m = {.kind = MESSAGE_PROGRESS};
  bool due = now - a->told_at >= a->tells_after || a->result.told_reset != a->told_reset;
  if (!due || !a->doing || a->waiting || a->ended)
    return;
  a->told_at = now;
  a->tells_after = 2 * a->tells_after < TELL_MOST ? 2 * a->tells_after : TELL_MOST;
  add_block(a, &m, control);
  wire_send(&a->wire, &m);
}

/* ---- what it hears ---- */

/* False: it is too large, or there is no memory for it. */
static bool keep_part(struct agent *a, enum job_part part, const void *bytes, uint64_t size)
{
  static const uint64_t most[] = {
#define X(id, most) [JOB_##id] = most,
      HD_JOB_PARTS(X)
#undef X
  };
  free(a->job[part]);
  a->job[part] = size && size <= most[part] ? malloc(size) : NULL;
  a->bytes[part] = a->job[part] ? size : 0;
  if (a->job[part])
    memcpy(a->job[part], bytes, size);
  return a->bytes[part] == size;
}

/* False: there is nothing that could be done. */
static bool keep_job(struct agent *a, const struct message *m)
{
  for (unsigned i = 0; i < JOB_PART_COUNT; i++)
    if (!keep_part(a, i, m->part[PART_JOB + i], m->bytes[PART_JOB + i]))
      return false;
  const struct unit *unit = a->job[JOB_UNIT];
  if (m->bytes[PART_CONFIG] != sizeof a->config ||
      (unit && (a->bytes[JOB_UNIT] < sizeof *unit || a->bytes[JOB_UNIT] != sizeof *unit + unit->bytes)))
    return false;
  memcpy(&a->config, m->part[PART_CONFIG], sizeof a->config);
  a->waiting = true;
  a->tells_after = TELL_FIRST;
  a->asked = false;
  return true;
}

static void hear(struct agent *a)
{
  struct message m;
  while (wire_next(&a->wire, &m))
    switch (m.kind) {
    case MESSAGE_JOB:
      a->nonsense |= !keep_job(a, &m);
      break;
    case MESSAGE_ASK:
      a->asked = true;
      break;
    case MESSAGE_OVER:
      a->outlook = JOBS_OVER;
      break;
    case MESSAGE_STOP:
      a->outlook = JOBS_STOP;
      break;
    default:
      a->nonsense = true;
    }
}

/* ---- the planner ---- */

static bool next(void *self, struct job_draft *draft, struct ticket *ticket, double now)
{
  struct agent *a = self;
  if (!a->waiting || !a->bytes[JOB_UNIT] || a->bytes[JOB_UNIT] > draft->room)
    return false;
  a->waiting = false;
  a->doing = true;
  memcpy(draft->unit, a->job[JOB_UNIT], a->bytes[JOB_UNIT]);
  draft->location = a->job[JOB_LOCATIONS];
  draft->locations = (uint32_t)(a->bytes[JOB_LOCATIONS] / sizeof *draft->location);
  draft->executions = a->config.executions;
  *ticket = (struct ticket){.given_at = now};
  return true;
}

static void take(void *self, const struct ticket *ticket, const struct answer *answer, double now)
{
  (void)ticket, (void)now;
  struct agent *a = self;
  struct message m = {.kind = MESSAGE_ANSWER};
  a->maps = a->pool = 0; /* on some ways what was said before, of how far it is, does not come through */
  add_block(a, &m, answer->block);
  for (unsigned i = 0; i < ANSWER_PART_COUNT; i++) {
    m.part[PART_ANSWER + i] = answer->part[i];
    m.bytes[PART_ANSWER + i] = answer->bytes[i];
  }
  wire_send(&a->wire, &m);
  a->doing = false;
}

/* Whether it is tried again, and by whom, is not decided here. */
static void lost(void *self, const struct ticket *ticket, const struct control *block, int wait_status)
{
  (void)ticket;
  struct agent *a = self;
  struct message_ending ending = {.died = 1, .wait_status = wait_status};
  tell_end(a, &ending, block, NULL, 0);
  a->outlook = JOBS_OVER;
}

static double patience(const void *self, const struct ticket *ticket, bool idle)
{
  (void)ticket, (void)idle;
  return ((const struct agent *)self)->asked ? 0 : 1e9;
}

static enum outlook look(void *self, bool working, double now)
{
  (void)working, (void)now;
  hear(self);
  return ((struct agent *)self)->outlook;
}

static const char *problem(const void *self)
{
  const struct agent *a = self;
  return a->wire.broken ? "nobody wants the answers any more" : a->nonsense ? "a job makes no sense" : NULL;
}

static int fd(const void *self)
{
  return ((const struct agent *)self)->wire.fd;
}

static const struct planner agent_planner = {
    .next = next, .take = take, .lost = lost, .patience = patience, .look = look, .problem = problem, .fd = fd};

/* ---- samples ---- */

/* A range of samples is a session as anybody's, but for who asks for its end. */
static void watch_samples(void *context, struct control *control)
{
  struct agent *a = context;
  hear(a);
  if (a->outlook != JOBS_TO_COME || problem(a))
    control->stop = 1;
  else
    tell_progress(a, control);
}

static void tell_samples(struct agent *a)
{
  struct message m = {.kind = MESSAGE_ANSWER};
  const struct control *c = a->result.control;
  a->maps = a->pool = 0;
  add_block(a, &m, c);
  a->block.state = WORKER_HANDED; /* for the next range */
  add_area(&m, PART_COVERAGE, c, CONTROL_COVERAGE_OFFSET, c->config.coverage ? sizeof(struct coverage) : 0,
           CONTROL_SIZE_OF(COVERAGE));
  for (unsigned i = 0; i < ANSWER_PART_COUNT; i++)
    m.part[PART_ANSWER + i] = worker_answer(c, i, &m.bytes[PART_ANSWER + i]);
  wire_send(&a->wire, &m);
}

static bool wait_for_job(struct agent *a);

/* Until there are no more, or one failed. */
static void do_samples(struct agent *a, const struct session_request *request)
{
  struct session_request own = *request;
  own.look = watch_samples;
  own.context = a;
  do {
    a->waiting = false;
    a->doing = true;
    own.config = a->config;
    own.location = a->job[JOB_LOCATIONS];
    own.locations = a->bytes[JOB_LOCATIONS] / sizeof *own.location;
    session_free(&a->result);
    session_run(&own, &a->result);
    a->doing = false;
    if (a->result.end == SESSION_FAILED || a->result.end == SESSION_DIVERGED)
      return;
    tell_samples(a);
  } while (wait_for_job(a));
}

/* ---- its life ---- */

static _Noreturn void become_agent(const struct session_request *request,
                                   void (*run)(const struct session_request *, int), int wire, pid_t parent)
{
  setsid(); /* a Ctrl-C is for us */
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  /* Of what is ours it needs nothing; and who has another agent's wire would keep it from seeing our end. */
  close_range(STDERR_FILENO + 1, (unsigned)wire - 1, 0);
  close_range((unsigned)wire + 1, UINT_MAX, 0);
  if (getppid() == parent)
    run(request, wire);
  _exit(0);
}

pid_t agent_start(const struct session_request *request, void (*run)(const struct session_request *, int), int *wire)
{
  int ends[2];
  pid_t parent = getpid();
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    return -1;
  pid_t pid = fork();
  if (pid == 0) {
    close(ends[0]);
    become_agent(request, run, ends[1], parent);
  }
  int error = errno;
  close(ends[1]);
  if (pid < 0)
    close(ends[0]);
  *wire = ends[0];
  errno = error;
  return pid;
}

static bool wait_for_job(struct agent *a)
{
  while (a->outlook == JOBS_TO_COME && !a->waiting && !problem(a)) {
    struct pollfd readable = {.fd = a->wire.fd, .events = POLLIN};
    poll(&readable, 1, -1);
    hear(a);
  }
  return a->waiting;
}

void agent_run(const struct session_request *request, int wire)
{
  static struct agent agent;
  agent.wire = (struct wire){.fd = wire, .patience = -1}; /* who is stopped (Ctrl-Z) reads on one day */
  deadline_set(0);                                        /* who gave the job has an eye on the clock */
  if (!wait_for_job(&agent))
    return;
  struct session_request own = {
      .target = request->target, .config = agent.config, .workers = 1, .grace = request->grace, .context = &agent};
  if (agent.job[JOB_UNIT]) { /* all of them have one */
    own.planner = &agent_planner;
    own.planner_self = &agent;
    own.look = tell_progress;
    session_run(&own, &agent.result);
  } else {
    do_samples(&agent, &own);
  }
  if (!agent.ended)
    tell_result(&agent);
}
