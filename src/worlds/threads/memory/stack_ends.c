/* SPDX-License-Identifier: Apache-2.0
 *
 * Variables of a function end when it returns, and those of a thread, thread-local ones too, when it ends. Whoever else
 * uses them must have done so before.
 *
 * An end is no step: it is found by what threads know of each other (their clocks), in whatever order things came. A
 * use by another thread is kept until what it used ends; if that thread does not know of the use by then, it might have
 * come later. And an end is kept until more of the stack has ended; if who uses it later does not know of the end, its
 * pointer is an old one, whatever lies there now. A use that is known to come later is found by where the stack of the
 * thread ends, as long as it does not reach down there again. So no order of uses and ends needs to be tried, and
 * nothing is done where nobody uses the stack of another thread.
 *
 * Not seen: variables of a block inside a function, which end before it; what main() itself leaves behind, since the
 * program ends with it; stacks that the program gave its threads; old pointers to where the stack has grown again, used
 * by who knows of that; programs of several processes.
 */
#include "worlds/threads/memory/stack_ends.h"
#include "core/finding.h"
#include "worlds/threads/system/signals.h"
#include "worlds/threads/thread/thread.h"
#include <string.h>

#define RUNTIME_FRAMES 32 /* of ours between the program and where it is left, at most */
#define USES 64
#define ENDS 32

void __restore_rt(void);     /* switch.S */
void __tsan_func_exit(void); /* memory.c */

bool stacks_are_met;
static uint32_t executions;

struct stack_use {
  uintptr_t addr, pc;
  uint32_t clock; /* of the thread, for itself */
  uint16_t thread;
  uint8_t size, kind;
};

struct stack_end {
  uintptr_t below, pc; /* all of the stack below this ended there */
  uint32_t clock;
};

/* What is known of the stack of a thread. Later ends come later in the list, and end less: what more ends makes them
 * needless. */
static struct stack {
  uint32_t execution; /* of which it is */
  uint32_t uses, ends;
  struct stack_use use[USES];
  struct stack_end end[ENDS];
  const void *left_with;  /* the stack pointer when it was last asked where the program's part ends, */
  uint64_t left_after;    /* so many operations, since it may come to the same place by other ways, */
  uintptr_t program_part; /* which was there; 0: not known */
  bool in_main;           /* above that is the frame of main() and nothing else */
} stacks[MAX_THREADS];

static struct stack *stack_of(unsigned thread)
{
  struct stack *s = &stacks[thread];
  if (s->execution != executions) {
    s->uses = s->ends = 0;
    s->left_with = NULL;
    s->execution = executions;
  }
  return s;
}

/* A replay follows them from its beginning: what the search had learnt by then is not known. */
void stacks_begin(void)
{
  executions++;
  stacks_are_met = rt.engine->stacks_met || rt.engine->strategy->private_steps;
}

/* Whose stack it is on, or whose thread-local memory; MAX_THREADS: nobody's. */
static unsigned owner_of(uintptr_t addr)
{
  if (addr - STACKS_ADDRESS < MAX_THREADS * STACK_ROOM)
    return (unsigned)((addr - STACKS_ADDRESS) / STACK_ROOM);
  return is_on_stacks(addr) ? 0 : MAX_THREADS;
}

static bool is_followed(unsigned t)
{
  return t < rt.engine->threads && !rt.thread[t].own_stack && !rt.thread[t].system && rt.engine->processes == 1 &&
         !hd_own.process;
}

static uint32_t clock_of(unsigned t)
{
  return vclock_get(&rt.thread[t].clock, t);
}

/* Whether the current thread knows what that one did by then. */
static bool is_known(unsigned t, uint32_t clock)
{
  return clock <= vclock_get(&self_thread()->clock, t);
}

/* ---- reports ---- */

/* end: of the frame whose variable it was; 0: the thread ended. */
static void report_unordered(const struct stack_use *use, unsigned owner, uintptr_t end, uintptr_t ended_at)
{
  const struct control_config *config = &rt.control->config;
  struct operation op = {.kind = use->kind, .length = use->size, .addr = use->addr, .pc = use->pc};
  if (rt.engine->opaque || rt.engine->world->excused(rt.engine->world->self, use->thread, &op))
    return;
  if (config->races == RACES_IGNORE || config->detectors == RACE_BY_PENDING) {
    lose(LOST_ENDS);
    return;
  }
  struct bug *bug = bug_race(rt.engine, use->pc, ended_at, RACE_BY_CLOCKS);
  bug->detail = RACE_OF_END;
  bug_text(bug, "%s", end ? "returned from " : "ended");
  bug_add_party(rt.engine, bug, owner, end ? OP_FREE : OP_EXIT, use->addr, use->size, ended_at);
  bug_add_party(rt.engine, bug, use->thread, use->kind, use->addr, use->size, use->pc);
  bug->party[use->thread == self_index() ? 0 : 1].depth = 0; /* that thread is elsewhere by now */
  for (unsigned i = 0; i < 2 && end; i++) {
    bug->party[i].local_pc = in_image(ended_at);
    bug->party[i].local_offset = (int64_t)(use->addr - end);
  }
  bug_declare(rt.engine, bug);
}

static void report_late(unsigned owner, const struct stack_use *use)
{
  struct bug *bug = bug_new(rt.engine, BUG_MEMORY, bug_key_of(rt.engine, BUG_MEMORY, use->pc, 0));
  bug_text(bug, "use of a variable of %s%s: %s of %u byte%s", thread_label(owner),
           rt.thread[owner].finished ? ", which has ended" : " in a function that has returned",
           op_writes_memory(use->kind) ? "write" : "read", use->size, use->size == 1 ? "" : "s");
  bug_add_party(rt.engine, bug, self_index(), use->kind, use->addr, use->size, use->pc);
  bug_declare(rt.engine, bug);
}

/* ---- ends ---- */

static void end_uses(struct stack *s, uintptr_t from, uintptr_t to, uintptr_t pc)
{
  uint32_t kept = 0;
  for (uint32_t i = 0; i < s->uses; i++) {
    const struct stack_use use = s->use[i];
    if (use.addr < from || use.addr >= to)
      s->use[kept++] = use;
    else if (!is_known(use.thread, use.clock))
      report_unordered(&use, self_index(), to == UINTPTR_MAX ? 0 : to, pc);
  }
  s->uses = kept;
}

/* The function that was called before this return address: 0 where its address was computed. */
static uintptr_t called_before(uintptr_t returns_to)
{
  const uint8_t *at = (const uint8_t *)returns_to;
  int32_t distance;
  memcpy(&distance, at - 4, sizeof distance);
  uintptr_t target = returns_to + (uintptr_t)(intptr_t)distance, function;
  const bool computed = at[-7] == 0xff && at[-6] == 0x94; /* call *distance(register, register) */
  if (computed || (at[-5] != 0xe8 && (at[-6] != 0xff || at[-5] != 0x15)))
    return 0;
  if (at[-5] == 0xe8) { /* call target */
    const uint8_t *stub = (const uint8_t *)target;
    stub += memcmp(stub, "\xf3\x0f\x1e\xfa", 4) == 0 ? 4 : 0; /* endbr64 */
    stub += *stub == 0xf2;                                    /* bnd */
    if (stub[0] != 0xff || stub[1] != 0x25)                   /* jmp *slot */
      return target;
    memcpy(&distance, stub + 2, sizeof distance);
    target = (uintptr_t)stub + 6 + (uintptr_t)(intptr_t)distance;
  } /* call *slot */
  memcpy(&function, (const void *)target, sizeof function);
  return function;
}

static void end_below(uintptr_t sp, uintptr_t end, uintptr_t pc)
{
  struct stack *s = stack_of(self_index());
  if (s->uses)
    end_uses(s, sp, end, pc);
  while (s->ends && s->end[s->ends - 1].below <= end)
    s->ends--;
  if (s->ends < ENDS)
    s->end[s->ends++] = (struct stack_end){.below = end, .pc = pc, .clock = clock_of(self_index())};
}

/* An optimised function has left its frame already and jumps to the hook, which returns to its caller. */
void stack_frame_ends(const uintptr_t *frame)
{
  unsigned me = self_index();
  const uintptr_t low = hd_self->stack_low, high = low + hd_self->stack_size, *of_caller = (const uintptr_t *)frame[0];
  const uintptr_t sp = (uintptr_t)(frame + 2), returns_to = frame[1];
  if (!is_followed(me) || sp - low >= high - low)
    return;
  const uintptr_t called = called_before(returns_to);
  if (called != (uintptr_t)__tsan_func_exit) {
    if (!in_runtime(returns_to))
      end_below(low, sp, called ? called + 1 : returns_to);
    else if (me)
      end_below(low, sp, (uintptr_t)self_thread()->start + 1);
  } else if (of_caller >= frame && (uintptr_t)(of_caller + 2) <= high && (me || !in_runtime(of_caller[1]))) {
    end_below(sp, (uintptr_t)(of_caller + 2), returns_to);
  }
}

#ifdef __x86_64__
/* glibc keeps it turned and mixed with a secret of the process. */
static uintptr_t stack_pointer_in(const struct __jmp_buf_tag *buffer)
{
  enum { STACK_POINTER = 6, TURNED = 17 };
  uintptr_t secret, kept = (uintptr_t)buffer->__jmpbuf[STACK_POINTER];
  __asm__("mov %%fs:0x30, %0" : "=r"(secret));
  return (kept >> TURNED | kept << (64 - TURNED)) ^ secret;
}
#else
static uintptr_t stack_pointer_in(const struct __jmp_buf_tag *buffer)
{
  (void)buffer;
  return 0; /* not known */
}
#endif

void stack_is_left(const struct __jmp_buf_tag *buffer, uintptr_t pc)
{
  const uintptr_t low = hd_self->stack_low, to = stack_pointer_in(buffer);
  if (!stacks_are_met || !is_followed(self_index()))
    return;
  if (to - low < hd_self->stack_size)
    end_below(low, to, pc);
  else if (stack_of(self_index())->uses)
    lose(LOST_ENDS);
}

void stack_thread_ends(void)
{
  unsigned me = self_index();
  if (me && stacks_are_met && is_followed(me) && stack_of(me)->uses)
    end_uses(stack_of(me), 0, UINTPTR_MAX, (uintptr_t)self_thread()->start);
}

/* ---- uses ---- */

static bool is_in_main(const uintptr_t *frame)
{
  return in_runtime(((const uintptr_t *)frame[0])[1]);
}

/* Where the program's part of the stack ends of a thread that is not its turn: above our frames. */
static void find_program_part(unsigned t, struct stack *s)
{
  const struct thread_state *state = &rt.engine->thread[t];
  const uintptr_t low = state->stack_low, high = low + state->stack_size - 32;
  const uintptr_t *frame = (const uintptr_t *)((const struct left_stack *)s->left_with)->rbp;
  s->program_part = 0;
  s->in_main = false;
  for (unsigned n = 0; n < RUNTIME_FRAMES; n++) {
    if ((uintptr_t)frame < low || (uintptr_t)frame >= high || (uintptr_t)frame & 7 ||
        frame[1] == (uintptr_t)__restore_rt || frame[0] <= (uintptr_t)frame || frame[0] >= high)
      return;
    if (!in_runtime(frame[1])) {
      if (!in_program(frame[1]) || in_static_data(frame[1]) || !in_runtime(called_before(frame[1])))
        return; /* a function of ours without a frame was between, and this is none; or a library called us */
      s->program_part = (uintptr_t)(frame + 2);
      s->in_main = !t && is_in_main(frame);
      return;
    }
    frame = (const uintptr_t *)frame[0];
  }
}

static void note_use(struct stack *s, const struct stack_use *use)
{
  for (uint32_t i = s->uses; i-- > 0;)
    if (s->use[i].addr == use->addr && s->use[i].thread == use->thread) {
      s->use[i] = *use;
      return;
    }
  if (s->uses < USES)
    s->use[s->uses++] = *use;
  else
    lose(LOST_ENDS);
}

/* The newest end of what is there, of which the current thread does not know; NULL: there is none. */
static const struct stack_end *unknown_end(const struct stack *s, unsigned owner, uintptr_t addr)
{
  for (uint32_t i = s->ends; i-- > 0;)
    if (addr < s->end[i].below)
      return is_known(owner, s->end[i].clock) ? NULL : &s->end[i];
  return NULL;
}

void stack_touch(uintptr_t addr, size_t size, enum op_kind kind, uintptr_t pc)
{
  unsigned me = self_index(), t = owner_of(addr);
  if (t == MAX_THREADS || t == me || !is_followed(t))
    return;
  if (!rt.engine->stacks_met) {
    rt.engine->stacks_met = stacks_are_met = true;
    memory_learnt(); /* what ended before was not followed */
  }
  struct stack *s = stack_of(t);
  if (s->left_with != rt.thread[t].fiber->sp || s->left_after != rt.engine->thread[t].operations) {
    s->left_with = rt.thread[t].fiber->sp;
    s->left_after = rt.engine->thread[t].operations;
    find_program_part(t, s);
  }
  if (s->in_main && addr >= s->program_part)
    return;
  const struct stack_use use = {
      addr, pc, clock_of(me), (uint16_t)me, (uint8_t)(size < UINT8_MAX ? size : UINT8_MAX), (uint8_t)kind};
  const struct thread_state *state = &rt.engine->thread[t];
  bool on_stack = addr - state->stack_low < state->stack_size;
  const struct stack_end *end = on_stack ? unknown_end(s, t, addr) : NULL;
  if ((t && rt.thread[t].finished) || (on_stack && addr < s->program_part))
    report_late(t, &use);
  else if (end)
    report_unordered(&use, t, end->below, end->pc);
  else
    note_use(s, &use);
}
