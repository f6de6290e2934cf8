/* SPDX-License-Identifier: Apache-2.0
 *
 * The loop of executions, in its three ways to come back to the start: in place (snapshot), in a forked child, in a
 * fresh process. It runs on a stack of its own, because the program's stacks are put back too. What an execution
 * leaves behind for the next one is in the control mapping, so all three ways share this code.
 */
#include "runtime/exit_handlers.h"
#include "runtime/loop.h"
#include "core/observer.h"
#include "core/rng.h"
#include "explore/explorer.h"
#include "runtime/client.h"
#include "runtime/debugger.h"
#include "runtime/fiber.h"
#include "runtime/hotspot.h"
#include "runtime/origin.h"
#include "runtime/outside.h"
#include "runtime/predicate.h"
#include "runtime/runtime.h"
#include "runtime/sem.h"
#include "runtime/signals.h"
#include "runtime/timers.h"
#include "runtime/tsd.h"
#include "runtime/util.h"
#include "runtime/work.h"
#include "strategy/confirm.h"
#include "strategy/minimise.h"
#include "strategy/portfolio.h"
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#define LOOP_STACK (256 << 10)
#define MAIN_SCRUBBED (8 << 20)
#define VIRTUAL_SEED UINT64_C(0x68656464)

static uint64_t output_before; /* bytes printed when the execution began */
static int fork_pid;           /* fork mode: the child that executes */

static _Noreturn void leave(int status)
{
  for (;;)
    sys(SYS_exit_group, status);
}

static void execution_begin(void)
{
  struct control *c = rt.control;
  rt.bug = rt.cut = rt.main_returned = rt.between_steps = rt.blocked = false;
  exit_handlers_reset();
  rt.bug_key = 0;
  rt.input_at = 0;
  rt.keeps_local = rt.engine->strategy->exhaustive ? LOCAL_FOR_SEARCH : 0;
  rt.random = mix64(VIRTUAL_SEED);
  if (!c->config.output_all)
    c->output_bytes = 0;
  output_before = c->output_bytes;
  c->trace_events = c->trace_left = 0;
  objects_reset();
  sem_reset();
  tsd_reset();
  observers_begin();
  hotspots_begin();
  if (rt.naming)
    origins_reset();
  predicates_reset();
  cancel_reset_thread(0);
  time_reset();
  timers_reset();
  outside_reset();
  client_reset();
  engine_begin(rt.engine, c->config.seed, c->execution);
  struct thread *main = &rt.thread[0];
  *main = (struct thread){.fiber = &rt.fiber[0], .frame = main->frame};
  if (rt.calls && !main->frame)
    main->frame = private_memory(FRAMES * sizeof *main->frame);
  vclock_set(&main->clock, 0, 1);
  rt.engine->thread[0].foreign_writes = rt.engine->thread[0].handler_sp = 0;
  rt.engine->thread[0].handler_nests = false;
  memory_retag();
  rt.locations_before = rt.engine->locations;
  stack_scrub((char *)((uintptr_t)rt.main_sp & ~UINT64_C(4095)) - MAIN_SCRUBBED, rt.main_sp);
  c->in_execution = 1;
}

static void run_execution(void)
{
  hd_self = &rt.engine->thread[0];
  rt.loop_fs = tls_base();
  set_tls_base(rt.fiber[0].fs);
  switch_fiber(&rt.loop_sp, rt.main_sp);
  hd_self = NULL;
}

static _Noreturn void back_to_loop(void)
{
  void *abandoned;
  hd_self = NULL;
  set_tls_base(rt.loop_fs);
  switch_fiber(&abandoned, rt.loop_sp);
  __builtin_unreachable();
}

void execution_end(void)
{
  if (rt.tracing)
    trace_settle(self_index());
  back_to_loop();
}

/* Until the program really ends, whoever is alive may go on: so the end is a step. Also if nobody is any more, since that
 * somebody ended is not to be told from the steps of others. */
static void step_to_end(void)
{
  if (rt.engine->threads == 1)
    return;
  struct operation op = {.kind = OP_END, .pc = place_in_program(0)};
  step(&op);
  performed(0);
}

void execution_exit(int status)
{
  step_to_end();
  const struct control_config *config = &rt.control->config;
  bug_exit(status);
  hotspots_check();
  if (config->leaks != RACES_IGNORE)
    heap_check_leaks();
  execution_end();
}

/* Schedules of bugs found in this execution; it is known only now. */
static void save_schedules(const struct schedule_record *record, uint64_t bytes)
{
  struct control *c = rt.control;
  uint64_t offset = SCHEDULE_NONE;
  for (uint32_t i = 0; i < c->bugs; i++) {
    if (c->bug[i].schedule != SCHEDULE_PENDING)
      continue;
    if (offset == SCHEDULE_NONE && bytes && c->pool_used + bytes <= CONTROL_SCHEDULE_POOL_SIZE) {
      offset = c->pool_used;
      copy_bytes(CONTROL_AT(c, CONTROL_SCHEDULE_POOL_OFFSET + offset), record, bytes);
      c->pool_used += (bytes + 15) & ~UINT64_C(15);
    }
    c->bug[i].schedule = offset;
  }
}

static uint32_t strategy_that_ran(void)
{
  return rt.control->config.strategy == STRATEGY_portfolio ? portfolio_member(rt.engine->strategy_state)
                                                           : rt.control->config.strategy;
}

/* The scratch space for a schedule lies behind the strategy's state. */
static struct schedule_record *scratch_schedule(void)
{
  uintptr_t at = (uintptr_t)rt.engine->strategy_state + rt.engine->strategy->state_size;
  return (struct schedule_record *)((at + 4095) & ~UINT64_C(4095));
}

static void tell_explored(void)
{
  const struct explorer *x = rt.engine->strategy_state;
  rt.control->finished = x->finished;
  rt.control->bounded = x->bounded;
  rt.control->incomplete = x->lost | rt.control->losses;
}

static void tell_minimised(void)
{
  const struct subset *best = minimise_best(rt.engine->strategy_state);
  if (!best || !minimise_improved(rt.engine->strategy_state))
    return;
  rt.control->minimised.kept = *best;
  rt.control->minimised.failed = 1;
}

static void leave_line(void)
{
  struct control *c = rt.control;
  struct execution_line *lines = CONTROL_AT(c, CONTROL_LINES_OFFSET);
  uint64_t output = 0;
  const unsigned char *text = CONTROL_AT(c, CONTROL_OUTPUT_OFFSET);
  for (uint64_t i = 0; i < c->output_bytes && i < CONTROL_OUTPUT_MAX; i++)
    output = mix64(output ^ text[i]);
  if (c->lines < CONTROL_LINES_MAX)
    lines[c->lines++] = (struct execution_line){((struct explorer *)rt.engine->strategy_state)->class_hash,
                                                output, rt.bug ? rt.bug_key : 0};
}

static uint64_t clock_now(void)
{
  struct timespec t;
  sys(SYS_clock_gettime, CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static uint64_t recorded_until; /* the real time when the last execution was over */

static void record_begin(void)
{
  struct control *c = rt.control;
  struct explorer *x = rt.engine->strategy_state;
  uint64_t most = CONTROL_RECORD_MAX / sizeof(struct recorded_node);
  x->record = (struct recorded_node *)CONTROL_AT(c, CONTROL_RECORD_OFFSET) + c->recorded + 1;
  x->recorded = c->recorded + 1 < most ? most - c->recorded - 1 : 0;
}

static void record_end(void)
{
  struct control *c = rt.control;
  struct explorer *x = rt.engine->strategy_state;
  uint64_t now = clock_now(), took = recorded_until ? now - recorded_until : 0;
  recorded_until = now;
  if (x->recorded && !rt.blocked) {
    x->record[-1] = (struct recorded_node){.thread = RECORD_START, .step = took};
    c->recorded += x->recorded + 1;
  }
  x->record = NULL;
}

#define MAX_RELEARNED 4

/* A schedule is followed only once, so what is shared must be known before: an execution that finds new shared memory
 * is run again, and what it reported is forgotten. */
static bool must_rerun(void)
{
  struct control *c = rt.control;
  struct engine *e = rt.engine;
  bool open = c->state == WORKER_RUNNING || c->state == WORKER_DIVERGED; /* it may diverge for not knowing */
  bool learnt = e->locations != rt.locations_before, once = c->config.events && !e->relearned;
  rt.rerun = (e->strategy->private_steps || c->config.events) && open && (learnt || once) &&
             e->relearned < MAX_RELEARNED;
  e->relearned = rt.rerun ? e->relearned + 1 : 0;
  if (!rt.rerun)
    return false;
  while (c->bugs && c->bug[c->bugs - 1].schedule == SCHEDULE_PENDING)
    c->bugs--;
  c->state = WORKER_RUNNING;
  c->in_execution = 0;
  return true;
}

/* What was explored did not see what is known to be shared now. */
static bool must_restart(void)
{
  struct control *c = rt.control;
  struct engine *e = rt.engine;
  bool learnt = e->locations != rt.locations_before;
  if (!e->strategy->exhaustive || !(learnt || ((struct explorer *)e->strategy_state)->restart))
    return false;
  if (c->state == WORKER_DIVERGED && learnt)
    c->state = WORKER_RUNNING;
  while (c->bugs && c->bug[c->bugs - 1].schedule == SCHEDULE_PENDING)
    c->bugs--;
  explorer_restart(e->strategy_state);
  e->strategy->end(e->strategy_state, &(struct outcome){0});
  c->executions = c->cut = c->blocked = c->session_hash = c->lines = c->recorded = 0;
  c->restarts++;
  c->in_execution = 0;
  c->work.learnt = c->work.shared;
  if (c->work.shared)
    work_hand_in_lessons();
  rt.rerun = !c->work.shared;
  return true;
}

static bool execution_finish(void)
{
  struct control *c = rt.control;
  struct engine *e = rt.engine;
  recording_end();
  if (must_rerun() || must_restart())
    return true;
  bool keeping = e->strategy->keeps, fresh_bugs = false;
  for (uint32_t i = c->bugs; i-- > 0 && !fresh_bugs;)
    fresh_bugs = c->bug[i].schedule == SCHEDULE_PENDING;
  struct outcome outcome = {.steps = e->step,
                            .bug = rt.bug,
                            .bug_key = rt.bug_key,
                            .bug_kind = rt.bug_kind,
                            .cut = rt.cut,
                            .too_long = rt.cut && e->step >= e->max_steps,
                            .inside = !rt.between_steps,
                            .thread = e->thread,
                            .threads = e->threads,
                            .world = e->world};
  if (e->strategy->exhaustive)
    outcome.enabled = engine_enabled(e);
  if (fresh_bugs || keeping || rt.tracing) {
    struct schedule_record *record = scratch_schedule();
    uint64_t bytes = engine_write_schedule(e, record, CONTROL_SCHEDULE_POOL_SIZE);
    if (bytes) {
      record->strategy = strategy_that_ran();
      outcome.schedule = record;
    }
    save_schedules(record, bytes);
    if (keeping && !outcome.schedule) /* it proves nothing */
      outcome.bug = false, outcome.cut = true;
  }
  if (rt.tracing) {
    trace_condense();
    trace_leave();
  }
  if (c->config.record)
    record_begin();
  bool more = e->strategy->end(e->strategy_state, &outcome);
  if (c->config.record)
    record_end();
  if (keeping && e->strategy->keeps(e->strategy_state)) {
    c->best_schedule = c->pool_used = 0; /* only the last one is of interest */
    copy_bytes(CONTROL_AT(c, CONTROL_SCHEDULE_POOL_OFFSET), outcome.schedule, outcome.schedule->bytes);
    c->pool_used = outcome.schedule->bytes;
  }
  if (c->config.strategy == STRATEGY_minimise)
    tell_minimised();
  hotspots_count();
  c->trace_hash = e->hash;
  c->session_hash += mix64(e->hash ^ mix64(c->execution)); /* whatever the order and the number of workers */
  c->steps += e->step;
  if (e->step > c->max_steps_seen)
    c->max_steps_seen = e->step;
  if (e->threads > c->max_threads_seen)
    c->max_threads_seen = e->threads;
  if (rt.blocked)
    c->blocked++;
  else if (rt.cut)
    c->cut++;
  else
    c->executions++;
  if (e->strategy->exhaustive)
    tell_explored();
  if (c->config.strategy == STRATEGY_confirm)
    c->plan_outcome = *confirm_outcome(e->strategy_state);
  if (e->strategy->exhaustive && c->config.hashes && !rt.blocked)
    leave_line();
  c->execution += c->config.stride;
  c->in_execution = 0;
  return more;
}

/* Whether there is another execution to run, after the last one was finished. */
static bool session_over(bool more)
{
  struct control *c = rt.control;
  if (c->state != WORKER_RUNNING || rt.rerun)
    return !rt.rerun;
  if (c->work.learnt) {
    c->state = WORKER_HANDED;
    return true;
  }
  if (!rt.engine->decisions && rt.engine->locations == rt.locations_before && !rt.cut &&
      c->config.strategy != STRATEGY_minimise)
    more = false; /* there was nothing to decide, and nothing learnt: every execution is this one */
  bool enough = c->config.executions && c->executions + c->cut >= c->config.executions;
  bool found = rt.bug && !c->config.keep_going && !rt.engine->strategy->keeps;
  bool end = enough || found || c->stop;
  bool last = c->work.scattered && c->reset == RESET_EXEC; /* the next process knows the tree by names only */
  if (c->work.shared && (end || !more || last || c->work.asked)) {
    work_hand_in();
    c->state = end ? WORKER_DONE : WORKER_HANDED;
    return true;
  }
  if (more && !end)
    return false;
  c->state = WORKER_DONE;
  return true;
}

static void run_in_place(void)
{
  snapshot_take();
  bool over = false;
  while (!over) {
    execution_begin();
    run_execution();
    over = session_over(execution_finish());
    snapshot_restore();
    filter_reset();
    signals_reset();
    if (over && work_wait())
      over = false;
  }
}

static bool run_in_child(void)
{
  work_take(); /* the next unit may have come while the child that handed in was still ending */
  fork_pid = (int)sys(SYS_fork);
  if (fork_pid < 0)
    fail(0, "cannot fork: the system's limit of processes or memory is reached");
  if (fork_pid == 0) {
    sys(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL);
    execution_begin();
    run_execution();
    session_over(execution_finish());
    leave(0);
  }
  int status = 0;
  while (sys(SYS_wait4, fork_pid, &status, 0, NULL) < 0)
    ;
  fork_pid = 0;
  if (rt.control->in_execution && rt.control->state == WORKER_RUNNING) {
    /* The child died on its own: nothing in it could tell. Its engine is still here to read. */
    struct bug *bug = bug_new(BUG_CRASH, bug_key_of(BUG_CRASH, (uintptr_t)WTERMSIG(status), 0));
    bug->detail = WTERMSIG(status);
    const char *name = sigabbrev_np(WTERMSIG(status));
    if (!WIFSIGNALED(status))
      bug_text(bug, "the program ended its process behind heddle's back, with status %d",
               WEXITSTATUS(status));
    else
      bug_text(bug, name ? "the program was killed by SIG%s" : "the program was killed by a real-time signal",
               name);
    rt.bug = false;
    bug_declare(bug);
    session_over(execution_finish());
  }
  return rt.control->state == WORKER_RUNNING;
}

void forward_signal_to_child(int signal)
{
  if (fork_pid > 0)
    sys(SYS_kill, fork_pid, signal);
}

bool waiting_for_child(void)
{
  return fork_pid > 0;
}

static _Noreturn void run_once(void)
{
  execution_begin();
  if (rt.control->debugger.attached)
    debugger_begin();
  run_execution();
  if (rt.control->debugger.attached)
    debugger_stand(STANDS_AT_END);
  if (!session_over(execution_finish()))
    rt.control->state = WORKER_AGAIN;
  leave(0);
}

static void loop(void)
{
  struct control *c = rt.control;
  c->state = WORKER_RUNNING;
  heap_snapshot();
  program_map();
  work_relocate();
  if (rt.embedded && c->reset == RESET_EXEC)
    c->reset = RESET_FORK; /* the process cannot be made anew from its program */
  switch (c->reset) {
  case RESET_SNAPSHOT:
    work_take();
    run_in_place();
    break;
  case RESET_FORK:
    while (run_in_child() || work_wait())
      ;
    break;
  default:
    work_take();
    run_once();
  }
  leave(0);
}

void worker(void)
{
  static struct fiber loop_fiber;
  struct control *c = rt.control;
  char *stack = private_memory(LOOP_STACK);
  loop_fiber.stack_low = stack;
  loop_fiber.stack_high = stack + LOOP_STACK - 64;
  fiber_prepare(&loop_fiber, loop);
  if (c->state == WORKER_STARTING && !c->executions && !c->cut)
    c->execution = c->config.first;
  filter_boot();
  switch_fiber(&rt.main_sp, loop_fiber.sp);
}

static _Noreturn void stop_process(enum worker_state state)
{
  rt.control->state = state;
  leave(0);
}

void fail(uintptr_t pc, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  if (rt.control) {
    format_text(rt.control->error, sizeof rt.control->error, format, args);
    rt.control->error_pc = pc;
    if (!rt.control->maps_bytes)
      program_map(); /* before main: the place could not be named */
    stop_process(WORKER_FAILED);
  }
  char line[512];
  size_t n = format_text(line, sizeof line - 1, format, args);
  line[n++] = '\n';
  sys(SYS_write, 2, "heddle: ", 8L);
  sys(SYS_write, 2, line, n);
  leave(3);
}

_Noreturn void restart(void)
{
  rt.control->output_bytes = output_before; /* as if the execution had not been tried */
  rt.control->in_execution = 0;
  stop_process(WORKER_AGAIN);
}

void change_reset(enum reset_mode mode, uintptr_t pc, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  struct control *c = rt.control;
  format_text(c->wish.reason, sizeof c->wish.reason, format, args);
  va_end(args);
  c->error_pc = pc;
  c->wish.reset = mode;
  if (!c->executions && !c->cut) { /* the same as if it had been started that way */
    sys(SYS_madvise, SHADOW_ADDRESS, SHADOW_MAPPING_SIZE, MADV_REMOVE);
    rt.engine->locations = 0;
  }
  restart();
}
