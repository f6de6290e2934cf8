/* SPDX-License-Identifier: Apache-2.0
 *
 * The public header's functions. hd_explore() does in small what the command line does: it keeps the control block and
 * watches a worker. The worker is a forked child, so that the filter, the fibers and all an execution does stay out of
 * the calling process; it runs executions in place from where hd_explore() was called.
 */
#include "heddle.h"
#include "worlds/threads/framework/test_orderings.h"
#include "worlds/threads/framework/testing.h"
#include "worlds/threads/memory/shadow.h"
#include "worlds/threads/memory/system_memory.h"
#include "worlds/threads/process/boot.h"
#include "worlds/threads/process/loop.h"
#include "worlds/threads/runtime.h"
#include "worlds/threads/system/time.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define DEFAULT_EXECUTIONS 10000
#define DEFAULT_SECONDS 10.0
#define GRACE 5.0 /* seconds without a step before a worker counts as stuck */

static int control_file = -1, shadow_file = -1;

/* From a file, where that can be had: then a copy of the process can have it for itself. */
static bool map_shared_memory(uint64_t address, uint64_t size, int *file)
{
  *file = memfd_create("heddle", MFD_CLOEXEC);
  if (*file >= 0)
    *file = out_of_the_way(*file);
  if (*file >= 0 && ftruncate(*file, (off_t)size)) {
    close(*file);
    *file = -1;
  }
  const int how = MAP_SHARED | MAP_NORESERVE | MAP_FIXED_NOREPLACE | (*file < 0 ? MAP_ANONYMOUS : 0);
  return mmap((void *)address, size, PROT_READ | PROT_WRITE, how, *file, 0) != MAP_FAILED;
}

static void unmap_all(void)
{
  close(control_file);
  close(shadow_file);
  control_file = shadow_file = -1;
  munmap((void *)CONTROL_ADDRESS, CONTROL_MAPPING_SIZE);
  munmap((void *)SHADOW_ADDRESS, SHADOW_MAPPING_SIZE);
}

static bool map_all(void)
{
  return map_shared_memory(CONTROL_ADDRESS, CONTROL_MAPPING_SIZE, &control_file) &&
         map_shared_memory(SHADOW_ADDRESS, SHADOW_MAPPING_SIZE, &shadow_file);
}

static double seconds_now(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* ---- the child ---- */

static _Noreturn void be_worker(void (*body)(void *), void *arg)
{
  rt.control = (struct control *)CONTROL_ADDRESS;
  hd_own.session = hd_own.embedded = true;
  system_memory_keep(control_file);
  shadow_keep(shadow_file);
  testing_boot();
  runtime_boot();
  program_boot();
  boot_pool();
  signals_boot();
  hd_own.main_high = (uintptr_t)__builtin_frame_address(0);
  worker();
  /* Every execution comes by here. */
  test_orderings_choose();
  body(arg);
  fflush(NULL);
  execution_exit(0);
}

/* ---- the parent ---- */

/* False if the worker had to be killed. */
static bool watch(pid_t child, struct control *c, double until)
{
  uint64_t beat = c->heartbeat;
  double moved = seconds_now();
  for (int status; waitpid(child, &status, WNOHANG) == 0;) {
    struct timespec a_little = {0, 500000};
    nanosleep(&a_little, NULL);
    double now = seconds_now();
    if (now > until)
      c->stop = 1;
    if (c->heartbeat != beat)
      beat = c->heartbeat, moved = now;
    if (now - moved < GRACE)
      continue;
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    return false;
  }
  return true;
}

static void run_session(struct control *c, double until, void (*body)(void *), void *arg)
{
  do {
    c->state = WORKER_STARTING;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0)
      be_worker(body, arg);
    if (child < 0) {
      c->state = WORKER_FAILED;
      snprintf(c->error, sizeof c->error, "cannot fork");
      return;
    }
    if (!watch(child, c, until)) {
      c->state = WORKER_FAILED;
      snprintf(c->error, sizeof c->error, "a thread does not come to another scheduling point");
    }
  } while (c->state == WORKER_AGAIN);
  if (c->state == WORKER_RUNNING || c->state == WORKER_STARTING) {
    c->state = WORKER_FAILED;
    snprintf(c->error, sizeof c->error, "the exploring process died");
  }
}

static bool configure(struct control_config *config, const struct hd_options *o)
{
  enum strategy_id strategy = o->strategy ? strategy_by_name(o->strategy) : STRATEGY_portfolio;
  if (strategy == STRATEGY_COUNT || strategy == STRATEGY_replay || strategy == STRATEGY_confirm ||
      strategy_table[strategy]->keeps || !strategy_table[strategy]->pick)
    return false;
  struct timespec now;
  clock_gettime(CLOCK_REALTIME_COARSE, &now);
  control_config_init(config);
  config->began = now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
  config->strategy = strategy;
  config->reset = RESET_SNAPSHOT;
  config->seed = o->seed;
  config->stride = 1;
  config->executions = o->executions ? o->executions : DEFAULT_EXECUTIONS;
  if (o->max_steps)
    config->max_steps = o->max_steps;
  if (o->races == HD_RACES_IGNORE)
    config->races = RACES_IGNORE;
  else if (o->races == HD_RACES_FAIL)
    config->races = RACES_FAIL;
  config->leaks = RACES_IGNORE; /* what the body leaves allocated is the test's business */
  config->spurious = o->spurious;
  /* A failed check of cmocka would jump out of the body; that of Check comes to us in any case. */
  config->framework = optional_symbol("_cmocka_run_group_tests") ? FRAMEWORK_CMOCKA : FRAMEWORK_NONE;
  return true;
}

static void set_up(struct control *c, const struct control_config *config)
{
  c->magic = CONTROL_MAGIC;
  c->version = sizeof *c;
  c->config = *config;
}

static struct bug *find_bug(struct control *c, bool race)
{
  for (uint32_t i = 0; i < c->bugs; i++)
    if ((c->bug[i].kind == BUG_RACE) == race)
      return &c->bug[i];
  return NULL;
}

/* Why heddle could not do it; NULL if it could. */
static const char *problem_of(const struct control *c)
{
  if (c->state == WORKER_FAILED)
    return c->error;
  if (c->executions || !c->cut)
    return NULL;
  return c->assumed ? "no execution meets its assumptions (hd_assume), and nothing was tested"
                    : "no execution came to its end, and nothing was tested; give it more max_steps";
}

static struct hd_verdict verdict_of(struct control *c)
{
  bool unseen = !c->config.instrumented && c->max_threads_seen > 1;
  const char *problem = problem_of(c);
  struct hd_verdict v = {.ok = true,
                         .executions = c->executions,
                         .complete = c->finished && !c->bounded && !c->incomplete && !unseen && !problem};
  for (uint32_t i = 0; i < c->bugs; i++)
    v.races += c->bug[i].kind == BUG_RACE;
  const struct bug *bug = find_bug(c, false);
  if (!bug && c->config.races == RACES_FAIL)
    bug = find_bug(c, true);
  if (bug) {
    v.ok = false;
    v.execution = bug->execution + 1;
    snprintf(v.kind, sizeof v.kind, "%s", bug_kind_name[bug->kind]);
    snprintf(v.where, sizeof v.where, "%s", bug->where);
    snprintf(v.message, sizeof v.message, "%s", bug->text);
  } else if (problem) {
    v.ok = false;
    v.error = true;
    snprintf(v.message, sizeof v.message, "%s", problem);
  }
  return v;
}

/* What only all executions together can show. */
static void expect_hotspots(struct hd_verdict *v, const struct control *c)
{
  for (uint32_t i = 0; i < c->hotspots && v->ok; i++) {
    const struct hotspot *h = &c->hotspot[i];
    if (h->expectation != EXPECT_SOMETIMES || h->executions)
      continue;
    v->ok = false;
    snprintf(v->kind, sizeof v->kind, "%s", bug_kind_name[BUG_PROPERTY]);
    snprintf(v->where, sizeof v->where, "%s", h->where);
    snprintf(v->message, sizeof v->message, "no execution came to \"%s\", where some should", h->name);
  }
}

/* Once more in a process of its own, by the schedule: a bug that does not show again is not told as one. */
static void reproduce(struct hd_verdict *v, uint64_t key, struct schedule_record *schedule,
                      struct control_config config, void (*body)(void *), void *arg)
{
  unmap_all();
  if (!map_all())
    return;
  struct control *c = (struct control *)CONTROL_ADDRESS;
  config.strategy = STRATEGY_replay;
  config.executions = 1;
  config.replay_hang = !strcmp(v->kind, "hang");
  set_up(c, &config);
  memcpy(CONTROL_AT(c, JOB_SCHEDULE_OFFSET), schedule, schedule->bytes);
  c->job_bytes[JOB_SCHEDULE] = schedule->bytes;
  run_session(c, seconds_now() + DEFAULT_SECONDS, body, arg);
  for (uint32_t i = 0; i < c->bugs; i++)
    if (c->bug[i].key == key)
      return;
  v->error = true;
  v->kind[0] = 0;
  snprintf(v->message, sizeof v->message, "the test is nondeterministic under control: a bug did not show again");
}

static uint64_t key_of(struct control *c)
{
  const struct bug *bug = find_bug(c, false);
  return (bug ? bug : &c->bug[0])->key;
}

static struct schedule_record *schedule_of(struct control *c)
{
  const struct bug *bug = find_bug(c, false);
  bug = bug ? bug : &c->bug[0];
  if (bug->schedule >= CONTROL_SIZE_OF(POOL))
    return NULL;
  const struct schedule_record *record = CONTROL_AT(c, CONTROL_POOL_OFFSET + bug->schedule);
  struct schedule_record *copy = malloc(record->bytes);
  if (copy)
    memcpy(copy, record, record->bytes);
  return copy;
}

static struct hd_verdict failed(const char *why)
{
  struct hd_verdict v = {.error = true};
  snprintf(v.message, sizeof v.message, "%s", why);
  return v;
}

EXPORT struct hd_verdict hd__explore(const struct hd_options *options, void (*body)(void *), void *arg)
{
  if (hd_self) { /* the whole program is being explored already */
    body(arg);
    return (struct hd_verdict){.ok = true, .executions = 1};
  }
  static const struct hd_options defaults;
  const struct hd_options *o = options ? options : &defaults;
  struct control_config config;
  if (!configure(&config, o))
    return failed("there is no strategy of that name for hd_explore");
  if (!map_all()) {
    unmap_all();
    return failed("cannot map memory: the address space is limited (heddle doctor says by what)");
  }
  struct control *c = (struct control *)CONTROL_ADDRESS;
  set_up(c, &config);
  run_session(c, seconds_now() + (o->seconds > 0 ? o->seconds : DEFAULT_SECONDS), body, arg);
  struct hd_verdict v = verdict_of(c);
  if (v.kind[0]) {
    uint64_t key = key_of(c);
    struct schedule_record *schedule = schedule_of(c);
    if (schedule)
      reproduce(&v, key, schedule, config, body, arg);
    free(schedule);
  } else {
    expect_hotspots(&v, c);
  }
  unmap_all();
  return v;
}

/* ---- what the body can say ---- */

EXPORT unsigned hd__choose(unsigned n)
{
  if (!hd_self || n < 2)
    return 0;
  struct operation op = {.kind = OP_CHOOSE, .arg = n, .pc = CALLER()};
  step(&op);
  unsigned value = engine_choose(rt.engine, n);
  performed((int)value);
  return value;
}

EXPORT void hd__assume(bool condition)
{
  if (!hd_self || condition)
    return;
  rt.engine->outcome.cut = true;
  rt.control->assumed = 1;
  execution_end();
}

EXPORT void hd__yield(void)
{
  if (hd_self)
    virtual_yield(CALLER());
}
