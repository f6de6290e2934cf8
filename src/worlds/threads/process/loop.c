/* SPDX-License-Identifier: Apache-2.0
 *
 * The loop of executions, in its three ways to come back to the start: in place (snapshot), in a forked child, in a
 * fresh process. It runs on a stack of its own, because the program's stacks are put back too. What an execution
 * leaves behind for the next one is in the control mapping, so all three ways share this code.
 */
#include "worlds/threads/process/loop.h"
#include "core/finding.h"
#include "core/invariant.h"
#include "core/rng.h"
#include "core/without_libc.h"
#include "worlds/threads/framework/hotspot.h"
#include "worlds/threads/framework/program_parts.h"
#include "worlds/threads/framework/test_orderings.h"
#include "worlds/threads/libc/exit_handlers.h"
#include "worlds/threads/libc/hidden_state.h"
#include "worlds/threads/memory/origin.h"
#include "worlds/threads/memory/private_memory.h"
#include "worlds/threads/memory/segments.h"
#include "worlds/threads/memory/shadow.h"
#include "worlds/threads/memory/shared_addresses.h"
#include "worlds/threads/memory/snapshot.h"
#include "worlds/threads/memory/stack_ends.h"
#include "worlds/threads/memory/system_memory.h"
#include "worlds/threads/model/changes.h"
#include "worlds/threads/model/message_queue.h"
#include "worlds/threads/model/posix_queues.h"
#include "worlds/threads/model/predicate.h"
#include "worlds/threads/model/rehearsal.h"
#include "worlds/threads/model/sem.h"
#include "worlds/threads/model/sysv_messages.h"
#include "worlds/threads/model/sysv_semaphores.h"
#include "worlds/threads/process/processes.h"
#include "worlds/threads/process/property_events.h"
#include "worlds/threads/process/turn.h"
#include "worlds/threads/process/work.h"
#include "worlds/threads/runtime.h"
#include "worlds/threads/system/aio_requests.h"
#include "worlds/threads/system/client.h"
#include "worlds/threads/system/punctual.h"
#include "worlds/threads/system/signals.h"
#include "worlds/threads/system/timers.h"
#include "worlds/threads/thread/fiber.h"
#include "worlds/threads/thread/scheduling.h"
#include "worlds/threads/thread/thread.h"
#include "worlds/threads/thread/tsd.h"
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#define LOOP_STACK (256 << 10)
#define VIRTUAL_SEED UINT64_C(0x68656464)

static uint64_t output_before; /* bytes printed when the execution began */
static int fork_pid;           /* fork mode: the child that executes */
/* When the last execution of this process ended, or its first began: by the real clock, 0 for not yet, and by that of
 * the processor. */
static uint64_t clock_before, work_before;

static _Noreturn void leave(int status)
{
  if (rehearsing)
    rehearsal_ends();
  if (hd_own.seat)
    turn_to_first(TURN_LEAVE);
  for (;;)
    sys(SYS_exit_group, status);
}

void leave_process(void)
{
  leave(0);
}

static uint64_t nanoseconds(int clock)
{
  struct timespec t;
  sys(SYS_clock_gettime, clock, &t);
  return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* Real time since it was asked last. */
static uint64_t time_taken(void)
{
  uint64_t before = clock_before;
  clock_before = nanoseconds(CLOCK_MONOTONIC);
  return clock_before - before;
}

/* The processor's time since it was asked last, or since the process began. */
static uint64_t work_taken(void)
{
  uint64_t now = nanoseconds(CLOCK_PROCESS_CPUTIME_ID), taken = now - work_before;
  work_before = now;
  return taken;
}

void execution_begin(void *self)
{
  (void)self;
  struct control *c = rt.control;
  if (!clock_before) {
    time_taken();
    if (c->reset != RESET_EXEC) /* there, each execution needs a process of its own */
      work_taken();
  }
  hd_own.main_returned = false;
  exit_handlers_reset();
  hidden_state_reset();
  rt.input_at = 0;
  rt.keeps_local = rt.engine->strategy->exhaustive ? LOCAL_FOR_SEARCH : 0;
  rt.recording = c->config.record_events;
  rt.random = mix64(VIRTUAL_SEED);
  if (!c->config.output_all)
    c->output_bytes = 0;
  output_before = c->output_bytes;
  c->trace_events = c->trace_left = 0;
  objects_reset();
  sem_reset();
  queues_reset();
  posix_queues_reset();
  sysv_messages_reset();
  sysv_semaphores_reset();
  segments_reset();
  aio_reset();
  changes_reset();
  tsd_reset();
  annotations_reset();
  property_reset();
  parts_begin();
  hotspots_begin();
  test_orderings_begin();
  if (rt.naming)
    origins_reset();
  predicates_reset();
  cancel_reset_thread(0);
  time_reset();
  punctual_reset();
  timers_reset();
  client_reset();
  processes_begin();
  shared_addresses_reset();
  struct thread *main = &rt.thread[0];
  thread_renew(main, &hd_own.fiber[0]);
  scheduling_begin();
  rt.local[0] = 0; /* of another execution */
  thread_give_frames(0);
  vclock_set(&main->clock, 0, 1);
  rt.engine->thread[0].foreign_writes = rt.engine->thread[0].handler_sp = 0;
  rt.engine->thread[0].handler_nests = false;
  memory_retag();
  stacks_begin();
  rt.locations_before = rt.engine->locations;
  stacks_scrub();
  c->in_execution = 1;
}

/* Threads take their turns by themselves (step.c): from main's first instruction to the end of the execution. */
void threads_go_on(void *self, unsigned task)
{
  (void)self, (void)task;
  hd_self = &rt.engine->thread[0];
  hd_own.loop_fs = tls_base();
  set_tls_base(hd_own.fiber[0].fs);
  switch_fiber(&hd_own.loop_sp, hd_own.main_sp);
  hd_self = NULL;
}

void back_to_loop(void *self)
{
  (void)self;
  void *abandoned;
  if (!hd_self)
    return; /* nobody runs */
  if (rehearsing)
    rehearsal_ends();
  if (hd_own.seat)
    turn_to_first(TURN_OVER);
  hd_self = NULL;
  set_tls_base(hd_own.loop_fs);
  switch_fiber(&abandoned, hd_own.loop_sp);
  __builtin_unreachable();
}

void execution_end(void)
{
  engine_stop(rt.engine);
  __builtin_unreachable();
}

/* Until the program really ends, whoever is alive may go on: so the end is a step. Also if nobody is any more, since
 * that somebody ended is not to be told from the steps of others. */
void step_to_end(void)
{
  if (rt.engine->threads == 1)
    return;
  struct operation op = {.kind = rt.engine->processes > 1 ? OP_PROCESS_END : OP_END, .pc = place_in_program(0)};
  step(&op);
  performed(0);
}

void execution_exit(int status)
{
  step_to_end();
  const struct control_config *config = &rt.control->config;
  if (!hd_own.process) {
    bug_exit(status);
    hotspots_check();
    if (config->leaks != RACES_IGNORE)
      heap_check_leaks();
  }
  if (!process_is_last())
    process_end(W_EXITCODE(status, 0));
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
    if (offset == SCHEDULE_NONE && bytes && c->pool_used + bytes <= CONTROL_SIZE_OF(POOL)) {
      offset = c->pool_used;
      copy_bytes(CONTROL_AT(c, CONTROL_POOL_OFFSET + offset), record, bytes);
      c->pool_used += (bytes + 15) & ~UINT64_C(15);
    }
    c->bug[i].schedule = offset;
  }
}

static uint32_t strategy_that_ran(void)
{
  const struct strategy *s = rt.engine->strategy;
  return s->member ? s->member(rt.engine->strategy_state) : rt.control->config.strategy;
}

/* The scratch space for a schedule lies behind the strategy's state. */
static struct schedule_record *scratch_schedule(void)
{
  uintptr_t at = (uintptr_t)rt.engine->strategy_state + rt.engine->strategy->state_size;
  return (struct schedule_record *)((at + 4095) & ~UINT64_C(4095));
}

static void leave_explored(const struct standing *standing)
{
  rt.control->finished = standing->finished;
  rt.control->bounded = standing->bounded;
  rt.control->incomplete = standing->lost | rt.control->losses;
  rt.control->uncovered = standing->uncovered;
}

static void leave_line(uint64_t class_hash)
{
  struct control *c = rt.control;
  const struct outcome *o = &rt.engine->outcome;
  struct execution_line *lines = rt.engine->job.answer[ANSWER_LINES];
  volatile uint64_t *bytes = &c->answer_bytes[ANSWER_LINES];
  uint64_t output = 0;
  const unsigned char *text = CONTROL_AT(c, CONTROL_OUTPUT_OFFSET);
  for (uint64_t i = 0; i < c->output_bytes && i < CONTROL_SIZE_OF(OUTPUT); i++)
    output = mix64(output ^ text[i]);
  if (*bytes + sizeof *lines > ANSWER_LINES_MOST)
    return;
  lines[*bytes / sizeof *lines] = (struct execution_line){class_hash, output, o->bug ? o->bug_key : 0};
  *bytes += sizeof *lines;
}

/* Found in an execution that does not count. */
static void forget_fresh_bugs(void)
{
  struct control *c = rt.control;
  while (c->bugs && c->bug[c->bugs - 1].schedule == SCHEDULE_PENDING)
    c->bugs--;
}

#define MAX_RELEARNED 4

/* Whether what is known to be shared now should have been known before: a schedule is followed only once; and a run
 * that is recorded must have all accesses of shared memory. */
static bool learnt_too_late(void)
{
  const struct engine *e = rt.engine;
  bool learnt = e->locations != rt.locations_before, unrecorded = e->unkept || e->processes > 1;
  return learnt && (e->strategy->private_steps || (rt.control->config.record_events && unrecorded));
}

/* Such an execution is run again, and what it reported is forgotten. */
static bool must_rerun(void)
{
  struct control *c = rt.control;
  struct engine *e = rt.engine;
  bool open = c->state == WORKER_RUNNING || c->state == WORKER_DIVERGED; /* it may diverge for not knowing */
  rt.rerun = open && learnt_too_late() && e->relearned < MAX_RELEARNED;
  e->relearned = rt.rerun ? e->relearned + 1 : 0;
  if (!rt.rerun)
    return false;
  forget_fresh_bugs();
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
  if (!e->strategy->exhaustive || !(learnt || e->strategy->standing(e->strategy_state).restarts))
    return false;
  if (c->state == WORKER_DIVERGED && learnt)
    c->state = WORKER_RUNNING;
  forget_fresh_bugs();
  e->strategy->restart(e->strategy_state);
  c->executions = c->cut = c->blocked = c->session_hash = 0;
  c->answer_bytes[ANSWER_LINES] = c->answer_bytes[ANSWER_BRANCHES] = 0;
  c->restarts++;
  c->in_execution = 0;
  c->work.learnt = c->work.shared;
  if (c->work.shared)
    work_hand_in(true);
  rt.rerun = !c->work.shared;
  return true;
}

/* It was run for the strategy to find something out. */
static enum aside aside(void)
{
  const struct engine *e = rt.engine;
  return e->strategy->standing ? e->strategy->standing(e->strategy_state).aside : ASIDE_NOT;
}

/* Only the strategy learns of it. */
static bool was_silent(void)
{
  struct control *c = rt.control;
  struct engine *e = rt.engine;
  if (aside() != ASIDE_SILENT)
    return false;
  forget_fresh_bugs();
  c->output_bytes = output_before;
  uint64_t real = time_taken();
  e->outcome.nanoseconds = c->reset == RESET_FORK ? real : work_taken(); /* most of a child is its parent's work */
  engine_conclude(e);
  c->in_execution = 0;
  return true;
}

/* Whether a bug was found whose schedule is not known yet. */
static bool has_fresh_bugs(void)
{
  const struct control *c = rt.control;
  bool fresh = false;
  for (uint32_t i = c->bugs; i-- > 0 && !fresh;)
    fresh = c->bug[i].schedule == SCHEDULE_PENDING;
  return fresh;
}

static void count_execution(void)
{
  struct control *c = rt.control;
  const struct engine *e = rt.engine;
  c->trace_hash = e->hash;
  c->session_hash += mix64(e->hash ^ mix64(c->execution)); /* whatever the order and the number of workers */
  c->steps += e->step;
  if (e->step > c->max_steps_seen)
    c->max_steps_seen = e->step;
  if (e->threads > c->max_threads_seen)
    c->max_threads_seen = e->threads;
  if (aside())
    return;
  if (e->over == NEXT_BLOCKED)
    c->blocked++;
  else if (e->outcome.cut)
    c->cut++;
  else
    c->executions++;
}

/* Only the last one is of interest. */
static void keep_schedule(const struct schedule_record *schedule)
{
  struct control *c = rt.control;
  c->best_schedule = 0;
  copy_bytes(CONTROL_AT(c, CONTROL_POOL_OFFSET), schedule, schedule->bytes);
  c->pool_used = schedule->bytes;
}

static bool execution_finish(void)
{
  struct control *c = rt.control;
  struct engine *e = rt.engine;
  if (must_rerun() || must_restart() || was_silent())
    return true;
  bool keeping = e->strategy->keeps, wanted = has_fresh_bugs() || keeping || rt.tracing;
  struct schedule_record *record = wanted ? scratch_schedule() : NULL;
  if (record) {
    uint64_t bytes = engine_write_schedule(e, record, CONTROL_SIZE_OF(POOL));
    record->strategy = strategy_that_ran();
    record->punctual = rt.punctual;
    save_schedules(record, bytes);
    e->outcome.schedule = bytes ? record : NULL;
    if (keeping && !bytes) /* it proves nothing */
      e->outcome.bug = false, e->outcome.cut = true;
  }
  if (c->config.record_branches)
    e->outcome.nanoseconds = time_taken();
  const uint64_t before = e->strategy->asks ? nanoseconds(CLOCK_PROCESS_CPUTIME_ID) : 0;
  bool more = engine_conclude(e);
  if (e->strategy->asks)
    c->asking += nanoseconds(CLOCK_PROCESS_CPUTIME_ID) - before;
  if (keeping && e->strategy->keeps(e->strategy_state))
    keep_schedule(record);
  hotspots_count();
  count_execution();
  if (e->strategy->standing) {
    const struct standing standing = e->strategy->standing(e->strategy_state);
    leave_explored(&standing);
    if (c->config.hashes && e->over != NEXT_BLOCKED && !standing.aside)
      leave_line(standing.class_hash);
  }
  c->execution += c->config.stride;
  c->in_execution = 0;
  return more;
}

#define NOTED_EVERY 64 /* executions: a system call, in a process that runs them all */

/* Whether every execution is this one: there was nothing to decide, and nothing learnt. Not if a client decides, which
 * may come sooner the next time. */
static bool is_the_only_one(void)
{
  const struct engine *e = rt.engine;
  return !e->decisions && e->locations == rt.locations_before && !e->outcome.cut && !e->strategy->has_call &&
         !(rt.control->losses & LOST_CLIENT && rt.control->max_threads_seen > 1);
}

/* Whether there is another execution to run, after the last one was finished. */
static bool session_over(bool more)
{
  struct control *c = rt.control;
  if (c->work.shared && (c->reset != RESET_SNAPSHOT || c->executions % NOTED_EVERY == 0))
    work_note_time();
  if (c->state != WORKER_RUNNING || rt.rerun)
    return !rt.rerun;
  if (c->work.learnt) {
    work_tell();
    return true;
  }
  if (more && rt.engine->strategy->standing && rt.engine->strategy->standing(rt.engine->strategy_state).busy)
    return false;
  if (is_the_only_one())
    more = false;
  bool enough = c->config.executions && c->executions + c->cut >= c->config.executions;
  bool found = rt.engine->outcome.bug && !c->config.keep_going && !rt.engine->strategy->keeps;
  bool end = (enough && !c->work.shared) || found || c->stop;
  bool last = c->work.scattered && c->reset == RESET_EXEC; /* the next process knows the tree by names only */
  if (c->work.shared && (enough || end || !more || last || c->work.asked)) {
    work_hand_in(false);
    if (end)
      c->state = WORKER_DONE;
    else
      work_tell();
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
    engine_run(rt.engine, rt.control->execution);
    over = session_over(execution_finish());
    processes_reset();
    snapshot_restore();
    filter_reset();
    signals_reset();
    if (over && work_wait())
      over = false;
  }
}

/* What the process before left in memory that both share. Its descriptors and processes went with it. */
static void forget_last(void)
{
  processes_forget();
  filter_reset();
  signals_reset();
}

static bool run_in_child(void)
{
  work_take(); /* the next unit may have come while the child that handed in was still ending */
  time_taken();
  fork_pid = (int)sys(SYS_fork);
  if (fork_pid < 0)
    fail(0, "cannot fork: the system's limit of processes or memory is reached");
  if (fork_pid == 0) {
    sys(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL);
    filter_again();
    forget_last();
    engine_run(rt.engine, rt.control->execution);
    session_over(execution_finish());
    leave(0);
  }
  int status = 0;
  while (sys(SYS_wait4, fork_pid, &status, 0, NULL) < 0)
    ;
  fork_pid = 0;
  if (rt.control->in_execution && rt.control->state == WORKER_RUNNING) {
    /* The child died on its own: nothing in it could tell. Its engine is still here to read. */
    struct bug *bug = bug_new(rt.engine, BUG_CRASH, bug_key_of(rt.engine, BUG_CRASH, (uintptr_t)WTERMSIG(status), 0));
    bug->detail = WTERMSIG(status);
    const char *name = sigabbrev_np(WTERMSIG(status));
    if (!WIFSIGNALED(status))
      bug_text(bug, "the program ended its process behind heddle's back, with status %d", WEXITSTATUS(status));
    else
      bug_text(bug, name ? "the program was killed by SIG%s" : "the program was killed by a real-time signal", name);
    rt.engine->outcome.bug = false;
    bug_declare(rt.engine, bug);
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
  engine_run(rt.engine, rt.control->execution);
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
  work_know();
  if (hd_own.embedded && c->reset == RESET_EXEC)
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
  loop_fiber.home_low = stack;
  loop_fiber.home_high = stack + LOOP_STACK - 64;
  fiber_settle(&loop_fiber, NULL, 0);
  fiber_prepare(&loop_fiber, loop);
  if (c->state == WORKER_STARTING && !c->executions && !c->cut)
    c->execution = c->config.first;
  filter_boot();
  switch_fiber(&hd_own.main_sp, loop_fiber.sp);
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
    rt.control->error_pc = in_image(pc);
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

/* What is kept of the execution lies in the program's own address space. */
void invariant_broken(const char *what, const char *file, int line)
{
  const char *name = file;
  for (; *file; file++)
    if (*file == '/')
      name = file + 1;
  fail(0, "a mistake in heddle itself, or the program wrote over its memory: %s (%s:%d); please report it", what, name,
       line);
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
  c->error_pc = in_image(pc);
  c->wish.reset = mode;
  if (!c->executions && !c->cut) { /* the same as if it had been started that way */
    shadow_clear();
    rt.engine->locations = 0;
  }
  restart();
}
