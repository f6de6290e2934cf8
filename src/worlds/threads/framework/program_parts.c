/* SPDX-License-Identifier: Apache-2.0
 *
 * An ordinary program as a stress test (core/parts.h): which of its threads run and which of its calls are made is for
 * the strategy to say, or for the configuration. A thread that is left out ends as soon as it starts; a call that is
 * left out returns at once. So that nobody gets a result that no call gave, only such are left out whose result nobody
 * reads and that are given nothing of their caller's to fill in. Not scheduling points.
 *
 * Whether a call has ended is known from the shadow call stack: a function that makes calls has its entry there.
 */
#include "worlds/threads/framework/program_parts.h"
#include "core/parts.h"
#include "worlds/threads/process/loop.h"
#include "worlds/threads/process/watch.h"
#include "worlds/threads/runtime.h"

#define NO_PART UINT16_MAX
#define NO_CALL UINT32_MAX

_Static_assert(sizeof(struct made_calls) <= ANSWER_CALLS_MOST, "the list of calls is larger than such an answer");
_Static_assert(MAX_THREADS < NO_PART && SUBSET_CALLS < NO_PART, "numbers of parts are too small");

/* What a thread of the test does. */
struct part {
  bool inside; /* a call */
  uintptr_t *slot;
  uint32_t depth;   /* of the shadow call stack, outside of it */
  uint32_t listed;  /* the call's place in the list, or NO_CALL */
  int32_t acquired; /* locks since it began, less those given up */
};

static struct {
  uint16_t part[MAX_THREADS]; /* of each thread of the execution, or NO_PART */
  struct part of[SUBSET_THREADS];
} parts;

static bool are_looked_at(void)
{
  return rt.control->config.leaves_out;
}

static struct made_calls *list(void)
{
  return rt.engine->job.answer[ANSWER_CALLS];
}

static void act_for(uint32_t thread, uint32_t call)
{
  const struct engine *e = rt.engine;
  if (e->strategy->at_call)
    e->strategy->at_call(e->strategy_state, self_index(), thread, call);
}

static bool is_kept(uint32_t thread, uint32_t call)
{
  const struct engine *e = rt.engine;
  const struct subset *kept = &rt.control->config.kept;
  if (e->strategy->has_call)
    return e->strategy->has_call(e->strategy_state, thread, call);
  return !kept->threads || subset_has(kept, thread, call);
}

void parts_begin(void)
{
  if (!are_looked_at())
    return;
  for (unsigned t = 0; t < MAX_THREADS; t++)
    parts.part[t] = NO_PART;
  list()->threads = list()->missing = list()->count = 0;
  rt.control->answer_bytes[ANSWER_CALLS] = sizeof(struct made_calls);
}

/* ---- threads ---- */

static bool starts_parts(void)
{
  return are_looked_at() && self_index() == 0;
}

void parts_starting(void)
{
  if (starts_parts())
    act_for(list()->threads < SUBSET_THREADS ? list()->threads : CALL_NONE, CALL_STARTS);
}

void parts_started(unsigned thread, uintptr_t pc)
{
  struct made_calls *made = list();
  if (!starts_parts())
    return;
  act_for(CALL_NONE, CALL_NONE);
  if (made->threads == SUBSET_THREADS) {
    made->missing++;
    return;
  }
  parts.part[thread] = (uint16_t)made->threads;
  parts.of[made->threads] = (struct part){0};
  made->thread[made->threads++] = (struct test_thread){.index = thread, .pc = pc};
}

/* A thread that did not run has no result to give: that is no execution of the program. */
void parts_joined(unsigned thread, bool asked)
{
  uint16_t n = are_looked_at() ? parts.part[thread] : NO_PART;
  if (n == NO_PART || !asked)
    return;
  list()->thread[n].asked = true;
  if (is_kept(n, PART_THREAD))
    return;
  rt.engine->outcome.cut = true;
  execution_end();
}

bool parts_run_thread(void)
{
  uint16_t n = are_looked_at() ? parts.part[self_index()] : NO_PART;
  return n == NO_PART || is_kept(n, PART_THREAD);
}

/* ---- locks ---- */

/* 1: it takes one, -1: it gives one up; a post and what waits for it likewise. */
static int acquires(const struct operation *op, const struct effect *effect)
{
  bool waits = op->kind == OP_SEM_WAIT || op->kind == OP_SEM_TRYWAIT || op->kind == OP_SEM_TIMEDWAIT;
  if (op_takes_lock(op->kind) || waits)
    return !effect->known || effect->result == 0;
  return op_leaves_lock(op->kind) || op->kind == OP_SEM_POST ? -1 : 0;
}

/* Observers are told of an operation when the thread announces the next one: what the last one did, if they were not
 * told yet. */
static int not_told_yet(void)
{
  const struct engine *e = rt.engine;
  return e->performing ? acquires(&e->performed, &e->effect) : 0;
}

/* ---- calls ---- */

static bool is_own_stack(uintptr_t address)
{
  return address - hd_self->stack_low < hd_self->stack_size;
}

static bool is_result_unused(uintptr_t pc)
{
  const struct control_config *config = &rt.control->config;
  for (uint32_t i = 0; i < config->unused_results; i++)
    if (config->unused_result[i] == pc - watch_base())
      return true;
  return false;
}

static struct made_call describe(uint32_t function, const uintptr_t *argument, uintptr_t pc)
{
  const struct watched_call *w = &rt.control->config.call[function - 1];
  struct made_call call = {.function = (uint16_t)function, .pc = pc};
  for (unsigned i = 0; i < PART_ARGUMENTS; i++) {
    call.argument[i] = argument[i];
    call.own |= (uint8_t)((w->fills >> i & 1 && is_own_stack(argument[i])) << i);
  }
  call.stays = call.own || w->gives == GIVES_MORE || (w->gives == GIVES_NUMBER && !is_result_unused(pc));
  return call;
}

static void add(struct part *p, const struct made_call *call)
{
  struct made_calls *made = list();
  p->listed = NO_CALL;
  if (made->count == MADE_CALLS || call->call >= SUBSET_CALLS)
    made->missing++;
  else
    made->call[p->listed = made->count++] = *call;
}

static void end_call(struct part *p)
{
  if (p->listed != NO_CALL)
    list()->call[p->listed].locks = p->acquired + not_told_yet() != 0;
  p->inside = false;
}

static bool is_nested(const struct part *p, const uintptr_t *slot)
{
  return p->inside && slot < p->slot && self_thread()->frames > p->depth;
}

bool parts_leave_out(uint32_t function, const uintptr_t *argument, uintptr_t *return_slot)
{
  uint16_t n = parts.part[self_index()];
  if (n == NO_PART || is_nested(&parts.of[n], return_slot))
    return false;
  struct part *p = &parts.of[n];
  if (p->inside) /* it was left by an exception or a jump, or is too short to have an entry */
    end_call(p);
  struct made_call call = describe(function, argument, *return_slot);
  uint32_t number = ++list()->thread[n].calls;
  if (!call.stays && !is_kept(n, number))
    return true;
  call.thread = n;
  call.call = (uint16_t)(number < SUBSET_CALLS ? number : SUBSET_CALLS);
  *p = (struct part){.inside = true, .slot = return_slot, .depth = self_thread()->frames, .acquired = -not_told_yet()};
  add(p, &call);
  act_for(n, number < SUBSET_CALLS ? number : CALL_NONE);
  return false;
}

void parts_returned(uint32_t frames)
{
  uint16_t n = are_looked_at() ? parts.part[self_index()] : NO_PART;
  if (n == NO_PART || !parts.of[n].inside || frames > parts.of[n].depth)
    return;
  end_call(&parts.of[n]);
  act_for(n, CALL_NONE);
}

/* ---- what is observed ---- */

static bool looks(const void *state, const struct engine *e)
{
  (void)state;
  return e->control->config.leaves_out;
}

static void count_locks(void *state, struct engine *e, unsigned task, const struct operation *op,
                        const struct effect *effect)
{
  (void)state, (void)e;
  uint16_t n = parts.part[task];
  if (n != NO_PART)
    parts.of[n].acquired += acquires(op, effect);
}

const struct observer observer_parts = {.name = "parts", .looks = looks, .performed = count_locks};
