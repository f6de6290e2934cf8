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
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TELL_EVERY 0.05 /* seconds between two words of how far it is */

struct agent {
  struct wire wire;
  struct control_config config;
  void *job[JOB_PART_COUNT]; /* that is being done, or to be done; malloc'ed */
  uint64_t bytes[JOB_PART_COUNT];
  bool waiting; /* for somebody to do it */
  bool asked;
  enum outlook outlook;
  uint64_t maps, pool; /* bytes that were sent before: they only grow */
  double told_at;
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

static void add_block(struct agent *a, struct message *m, const struct control *c)
{
  m->part[PART_BLOCK] = c;
  m->bytes[PART_BLOCK] = sizeof *c;
  if (c->maps_bytes != a->maps)
    add_area(m, PART_MAPS, c, CONTROL_MAPS_OFFSET, c->maps_bytes, CONTROL_SIZE_OF(MAPS));
  if (c->pool_used != a->pool)
    add_area(m, PART_POOL, c, CONTROL_POOL_OFFSET, c->pool_used, CONTROL_SIZE_OF(POOL));
  a->maps = c->maps_bytes;
  a->pool = c->pool_used;
}

static void tell_end(struct agent *a, const struct session_result *r)
{
  const struct control *c = r->control;
  struct message m = {.kind = MESSAGE_END};
  bool failed = r->end == SESSION_FAILED || r->end == SESSION_DIVERGED;
  struct message_failure failure = {
      .diverged = r->end == SESSION_DIVERGED, .status = failed ? r->status : 0, .lost = r->lost, .pc = r->error_pc};
  memcpy(failure.error, r->error, sizeof failure.error);
  m.part[PART_FAILURE] = &failure;
  m.bytes[PART_FAILURE] = sizeof failure;
  m.part[PART_SAID] = r->error_output;
  m.bytes[PART_SAID] = r->error_output_bytes;
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
  wire_send(&a->wire, &m);
}

/* Now and then, while a worker runs. */
static void tell_progress(void *context, struct control *control)
{
  struct agent *a = context;
  double now = now_seconds();
  struct message m = {.kind = MESSAGE_PROGRESS};
  if (now - a->told_at < TELL_EVERY || !a->job[JOB_UNIT] || a->waiting)
    return;
  a->told_at = now;
  add_block(a, &m, control);
  wire_send(&a->wire, &m);
}

/* ---- what it hears ---- */

static void keep_job(struct agent *a, const struct message *m)
{
  for (unsigned i = 0; i < JOB_PART_COUNT; i++) {
    uint64_t bytes = m->bytes[PART_JOB + i];
    free(a->job[i]);
    a->job[i] = bytes ? malloc(bytes) : NULL;
    a->bytes[i] = a->job[i] ? bytes : 0;
    if (a->job[i])
      memcpy(a->job[i], m->part[PART_JOB + i], bytes);
  }
  const struct unit *unit = a->job[JOB_UNIT];
  bool good = m->bytes[PART_CONFIG] == sizeof a->config && unit && a->bytes[JOB_UNIT] >= sizeof *unit &&
              a->bytes[JOB_UNIT] == sizeof *unit + unit->bytes;
  if (good)
    memcpy(&a->config, m->part[PART_CONFIG], sizeof a->config);
  a->waiting = good;
  a->asked = false;
  if (!good)
    a->outlook = JOBS_STOP;
}

static void hear(struct agent *a)
{
  struct message m;
  while (wire_next(&a->wire, &m))
    switch (m.kind) {
    case MESSAGE_JOB:
      keep_job(a, &m);
      break;
    case MESSAGE_ASK:
      a->asked = true;
      break;
    case MESSAGE_OVER:
      a->outlook = JOBS_OVER;
      break;
    default:
      a->outlook = JOBS_STOP;
    }
  if (a->wire.broken)
    a->outlook = JOBS_STOP;
}

/* ---- the planner ---- */

static bool next(void *self, struct job_draft *draft, struct ticket *ticket, double now)
{
  struct agent *a = self;
  if (!a->waiting || a->bytes[JOB_UNIT] > draft->room)
    return false;
  a->waiting = false;
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
  add_block(a, &m, answer->block);
  for (unsigned i = 0; i < ANSWER_PART_COUNT; i++) {
    m.part[PART_ANSWER + i] = answer->part[i];
    m.bytes[PART_ANSWER + i] = answer->bytes[i];
  }
  wire_send(&a->wire, &m);
  free(a->job[JOB_UNIT]);
  a->job[JOB_UNIT] = NULL;
}

/* It is still here: somebody else gets it. */
static void lost(void *self, const struct ticket *ticket)
{
  (void)ticket;
  ((struct agent *)self)->waiting = true;
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
  (void)self;
  return NULL;
}

static bool hurried(const void *self)
{
  (void)self;
  return false;
}

static int fd(const void *self)
{
  return ((const struct agent *)self)->wire.fd;
}

static const struct planner agent_planner = {.next = next,
                                             .take = take,
                                             .lost = lost,
                                             .patience = patience,
                                             .look = look,
                                             .problem = problem,
                                             .hurried = hurried,
                                             .fd = fd};

/* ---- its life ---- */

/* The settings come with the first job. */
static bool wait_for_settings(struct agent *a)
{
  while (a->outlook == JOBS_TO_COME && !a->waiting) {
    struct pollfd readable = {.fd = a->wire.fd, .events = POLLIN};
    poll(&readable, 1, -1);
    hear(a);
  }
  return a->waiting;
}

void agent_run(const struct session_request *request, int wire)
{
  static struct agent agent;
  struct session_result result;
  agent = (struct agent){.wire = {.fd = wire}};
  deadline_set(0); /* who gave the job has an eye on the clock */
  if (!wait_for_settings(&agent))
    return;
  const struct session_request own = {.target = request->target,
                                      .config = agent.config,
                                      .workers = 1,
                                      .grace = request->grace,
                                      .planner = &agent_planner,
                                      .planner_self = &agent,
                                      .look = tell_progress,
                                      .context = &agent};
  session_run(&own, &result);
  tell_end(&agent, &result);
}
