/* SPDX-License-Identifier: Apache-2.0
 *
 * A toy world for the tests of the engine and the strategies: a few threads that run straight-line code over variables,
 * mutexes and semaphores. The interpreter is pure (toy_enabled, toy_apply work on a state that is copied by value), so
 * a test can enumerate all interleavings without the engine; toy_run() drives the same interpreter through the engine
 * as a world of fibers would: announce, next, perform.
 *
 * Thread 0 runs code[0]. Without such code it is not part of the game: threads 1 to n exist from the
 * start. */
#ifndef HEDDLE_TESTS_TOY_WORLD_H
#define HEDDLE_TESTS_TOY_WORLD_H

#include "core/control.h"
#include "core/engine.h"
#include "core/key.h"
#include "core/strategy.h"
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#ifndef TOY_THREADS
#define TOY_THREADS 8
#endif

enum { TOY_VARS = 8, TOY_MUTEXES = 4, TOY_SEMS = 4, TOY_LOG = 4096 };

enum toy_kind {
  END,   /* of the code */
  READ,  /* register = var[object] */
  WRITE, /* var[object] = register + value */
  SET,   /* var[object] = value */
  LOCK,  /* mutex[object] */
  UNLOCK,
  TRYLOCK, /* register = 1 if it got it */
  WAIT,    /* sem[object] */
  POST,
  YIELD,
  CHOOSE,    /* register = one of value numbers */
  CREATE,    /* the thread with code[object] */
  JOIN,      /* it */
  TRYJOIN,   /* register = 1 if it has ended */
  SPIN,      /* read var[object], again until it is value */
  SPIN_BACK, /* read var[object]; while it is not value, back to the instruction before */
  ADD,       /* var[object] += value, and nobody uses what it was */
  SET_BITS,  /* the same with |= */
  FETCH_ADD, /* register = var[object], and that grows by value */
  SWAP,      /* register = var[object], and if that is value, it grows by one */
  TAKE,      /* set var[object], again until it was not set */
  MARK,      /* comes to the event number object */
  EVENT,     /* of a property: letter value, read by monitor object, or by both if that is 0 */
  BRANCH     /* no step: unless the register is value, go on object instructions further, back if that is negative */
};

struct toy_insn {
  enum toy_kind kind;
  int object, value;
};

#define CODE(...) ((const struct toy_insn[]){__VA_ARGS__, {END, 0, 0}})

struct toy_state {
  int at[TOY_THREADS]; /* by code; next instruction, -1 before the start */
  bool exists[TOY_THREADS], ended[TOY_THREADS];
  int reg[TOY_THREADS];
  int var[TOY_VARS], sem[TOY_SEMS];
  int owner[TOY_MUTEXES]; /* code + 1, 0 for free */
  int monitor[2];         /* what was read, in its order */
};

struct toy_program {
  int threads; /* codes, the one of thread 0 included */
  const struct toy_insn *code[TOY_THREADS];
  int sem[TOY_SEMS];
  bool exits;                                 /* threads end by a step of their own, as those of the runtime do */
  bool (*bug)(const struct toy_state *state); /* asked after every step */
};

static inline struct toy_state toy_start(const struct toy_program *p)
{
  struct toy_state s;
  memset(&s, 0, sizeof s); /* compared byte by byte */
  memcpy(s.sem, p->sem, sizeof s.sem);
  for (int i = 0; i < TOY_THREADS; i++) {
    s.at[i] = -1;
    s.exists[i] = p->code[0] ? i == 0 : i > 0 && i < p->threads;
  }
  if (p->code[0])
    s.at[0] = 0;
  return s;
}

static inline const struct toy_insn *toy_next_insn(const struct toy_program *p, const struct toy_state *s, int t)
{
  return s->at[t] < 0 ? NULL : &p->code[t][s->at[t]];
}

static inline bool toy_alive(const struct toy_state *s, int t)
{
  return s->exists[t] && !s->ended[t];
}

static inline bool toy_enabled(const struct toy_program *p, const struct toy_state *s, int t)
{
  const struct toy_insn *i = toy_next_insn(p, s, t);
  if (!i)
    return true;
  switch (i->kind) {
  case LOCK:
    return !s->owner[i->object];
  case WAIT:
    return s->sem[i->object] > 0;
  case JOIN:
    return s->ended[i->object];
  default:
    return true;
  }
}

/* One step of an enabled thread; choice is used by CHOOSE alone. The result as a call would return it. */
static inline int toy_apply(const struct toy_program *p, struct toy_state *s, int t, int choice)
{
  const struct toy_insn *i = toy_next_insn(p, s, t);
  int result = 0;
  s->at[t]++;
  if (i) {
    switch (i->kind) {
    case READ:
      result = s->reg[t] = s->var[i->object];
      break;
    case WRITE:
      s->var[i->object] = s->reg[t] + i->value;
      break;
    case SET:
      s->var[i->object] = i->value;
      break;
    case ADD:
      s->var[i->object] += i->value;
      break;
    case SET_BITS:
      s->var[i->object] |= i->value;
      break;
    case LOCK:
      s->owner[i->object] = t + 1;
      break;
    case UNLOCK: /* nothing, if it is not the owner's */
      if (s->owner[i->object] == t + 1)
        s->owner[i->object] = 0;
      break;
    case TRYLOCK:
      result = s->reg[t] = !s->owner[i->object];
      if (result)
        s->owner[i->object] = t + 1;
      break;
    case WAIT:
      s->sem[i->object]--;
      break;
    case POST:
      s->sem[i->object]++;
      break;
    case CHOOSE:
      result = s->reg[t] = choice;
      break;
    case CREATE:
      s->exists[i->object] = true;
      break;
    case SPIN:
      s->at[t] -= s->var[i->object] != i->value;
      break;
    case SPIN_BACK:
      s->at[t] -= 2 * (s->var[i->object] != i->value);
      break;
    case TRYJOIN:
      result = s->reg[t] = s->ended[i->object];
      break;
    case FETCH_ADD:
      result = s->reg[t] = s->var[i->object];
      s->var[i->object] += i->value;
      break;
    case TAKE:
      result = s->var[i->object];
      s->var[i->object] = 1;
      s->at[t] -= result == 1;
      break;
    case SWAP:
      result = s->reg[t] = s->var[i->object];
      s->var[i->object] += result == i->value;
      break;
    case EVENT:
      for (int m = 0; m < 2; m++)
        if (!i->object || i->object == m + 1)
          s->monitor[m] = (int)((unsigned)s->monitor[m] * 3 + (unsigned)i->value);
      break;
    case END:
      s->ended[t] = true;
      s->at[t]--;
      return result;
    case YIELD:
    case JOIN:
    case MARK:
    case BRANCH:
      break;
    }
  }
  while (p->code[t][s->at[t]].kind == BRANCH)
    s->at[t] += s->reg[t] != p->code[t][s->at[t]].value ? p->code[t][s->at[t]].object : 1;
  s->ended[t] = !p->exits && p->code[t][s->at[t]].kind == END;
  return result;
}

static inline uint16_t toy_op_kind(enum toy_kind kind)
{
  static const uint16_t of[] = {[READ] = OP_READ,
                                [WRITE] = OP_WRITE,
                                [SET] = OP_WRITE,
                                [LOCK] = OP_MUTEX_LOCK,
                                [UNLOCK] = OP_MUTEX_UNLOCK,
                                [TRYLOCK] = OP_MUTEX_TRYLOCK,
                                [WAIT] = OP_SEM_WAIT,
                                [POST] = OP_SEM_POST,
                                [YIELD] = OP_YIELD,
                                [CHOOSE] = OP_CHOOSE,
                                [CREATE] = OP_CREATE,
                                [JOIN] = OP_JOIN,
                                [TRYJOIN] = OP_TIMEDJOIN,
                                [END] = OP_EXIT,
                                [SPIN] = OP_READ,
                                [SPIN_BACK] = OP_READ,
                                [ADD] = OP_ATOMIC_RMW,
                                [SET_BITS] = OP_ATOMIC_RMW,
                                [FETCH_ADD] = OP_ATOMIC_RMW,
                                [SWAP] = OP_ATOMIC_RMW,
                                [TAKE] = OP_ATOMIC_RMW,
                                [MARK] = OP_EVENT,
                                [EVENT] = OP_PROPERTY};
  return of[kind];
}

/* Where things would be in memory. */
enum { TOY_VAR = 0x1000, TOY_MUTEX = 0x2000, TOY_SEM = 0x3000, TOY_THREAD = 0x4000, TOY_SIZE = 64 };

/* The numbers of threads (arg) are the engine's, and filled in by toy_announce(). */
static inline struct operation toy_operation(const struct toy_program *p, const struct toy_state *s, int t)
{
  const struct toy_insn *i = toy_next_insn(p, s, t);
  int first = 0; /* thread with that code: places are in the code */
  while (p->code[first] != p->code[t])
    first++;
  struct operation op = {.kind = toy_op_kind(i->kind), .pc = (uintptr_t)first * 4096 + (uintptr_t)s->at[t] + 1};
  if (op_is_memory(op.kind)) {
    op.addr = TOY_VAR + 8 * (uintptr_t)i->object;
    op.length = 8;
    if (i->kind == SWAP) {
      op.traits = OP_COMPARES;
      op.arg = (uint64_t)i->value;
    }
    if ((i->kind == ADD || i->kind == SET_BITS) && !p->bug) { /* that looks at variables after every step */
      op.second = i->kind == ADD ? UPDATE_ADD : UPDATE_OR;
      op.arg = (uint64_t)i->value;
    }
  } else if (op.kind == OP_PROPERTY) {
    op.length = PROPERTY_EVENT(i->value, 0, i->object != 0, 0);
    op.addr = (uintptr_t)i->object;
  } else if (op.kind == OP_CHOOSE) {
    op.arg = (uint64_t)i->value;
  } else if (op_table[op.kind].object == OBJECT_MUTEX) {
    op.object = 1 + (uint32_t)i->object;
    op.addr = TOY_MUTEX + TOY_SIZE * (uintptr_t)i->object;
  } else if (op_table[op.kind].object == OBJECT_SEM) {
    op.object = 100 + (uint32_t)i->object;
    op.addr = TOY_SEM + TOY_SIZE * (uintptr_t)i->object;
  } else if (op_table[op.kind].object == OBJECT_THREAD && i->kind != CREATE) {
    int thread = i->kind == END ? t : i->object;
    op.object = 200 + (uint32_t)thread;
    op.addr = TOY_THREAD + TOY_SIZE * (uintptr_t)thread;
  }
  return op;
}

struct toy {
  const struct toy_program *program;
  struct control *control;
  struct engine *engine;
  struct world world;
  struct schedule_record *schedule; /* of the last execution; room for schedule_size bytes */
  uint64_t schedule_size;
  uint64_t execution; /* the next one's number */

  /* The last execution. */
  struct toy_state state;
  int code_of[MAX_THREADS]; /* engine's thread: its code */
  unsigned end;             /* NEXT_*, or 0 when all threads ended or the bug showed */
  bool bug;                 /* the program's predicate, or a deadlock */
  uint64_t steps;
  unsigned char log[TOY_LOG]; /* codes in the order of their steps */
};

static inline bool toy_world_enabled(void *self, unsigned thread, const struct operation *op)
{
  const struct toy *t = self;
  if (!op_table[op->kind].blocks)
    abort(); /* the engine promises not to ask */
  return toy_enabled(t->program, &t->state, t->code_of[thread]);
}

static inline uint64_t toy_world_state(void *self, const struct operation *op, uint64_t key)
{
  const struct toy_state *s = &((const struct toy *)self)->state;
  uint64_t addr = key_address(key);
  (void)op;
  if (!key_is_object(key))
    return addr >= TOY_VAR && addr < TOY_VAR + 8 * TOY_VARS ? (uint64_t)s->var[(addr - TOY_VAR) / 8] : 0;
  switch (key_kind(key)) {
  case OBJECT_MUTEX:
    return !s->owner[(addr - TOY_MUTEX) / TOY_SIZE];
  case OBJECT_SEM:
    return (uint64_t)s->sem[(addr - TOY_SEM) / TOY_SIZE];
  case OBJECT_THREAD:
    return s->ended[(addr - TOY_THREAD) / TOY_SIZE];
  case OBJECT_NOTHING: /* monitors, which nobody looks at */
    return 0;
  default:
    abort();
  }
}

static inline bool toy_world_released(void *self, unsigned thread, const struct operation *op)
{
  (void)self, (void)thread, (void)op;
  return false; /* nobody is signalled here */
}

static inline uint64_t toy_world_calls(void *self, unsigned thread)
{
  (void)self, (void)thread;
  return 0;
}

static inline uint64_t toy_world_local(void *self, unsigned thread)
{
  const struct toy *t = self;
  int code = t->code_of[thread];
  return ((uint64_t)(uint32_t)t->state.reg[code] << 32 | (uint32_t)(t->state.at[code] + 1)) + 1;
}

static inline uint64_t toy_world_name(void *self, uintptr_t addr)
{
  (void)self;
  return addr ? addr + 0x10000 : 0; /* that they are told apart shows in the tests */
}

static inline uintptr_t toy_world_address(void *self, uint64_t name)
{
  (void)self;
  return name ? name - 0x10000 : 0;
}

/* The thread goes on to its next announcement, or ends. */
static inline void toy_announce(struct toy *t, int code)
{
  if (t->state.ended[code]) {
    engine_end_thread(t->engine);
    return;
  }
  struct operation op = toy_operation(t->program, &t->state, code);
  int other = t->program->code[code][t->state.at[code]].object;
  if (op.kind == OP_CREATE)
    op.arg = t->engine->threads; /* as the runtime does */
  if (op.kind == OP_EXIT)
    op.arg = t->engine->current;
  for (unsigned i = 0; (op.kind == OP_JOIN || op.kind == OP_TIMEDJOIN) && i < t->engine->threads; i++)
    if (t->code_of[i] == other)
      op.arg = i;
  engine_announce(t->engine, &op);
}

static inline void toy_perform(struct toy *t, unsigned thread)
{
  struct engine *e = t->engine;
  int code = t->code_of[thread];
  const struct toy_insn *i = toy_next_insn(t->program, &t->state, code);
  engine_about(e, &e->thread[thread].pending);
  int choice = i && i->kind == CHOOSE ? (int)engine_choose(e, (unsigned)i->value) : 0;
  int result = toy_apply(t->program, &t->state, code, choice);
  if (i && i->kind == SWAP && result != i->value)
    e->thread[thread].failed = e->thread[thread].operations;
  if (i && i->kind == CREATE)
    t->code_of[engine_add_thread(e, thread, (uintptr_t)i->object, 7)] = i->object;
  engine_perform(e, result);
  if (i && (i->kind == LOCK || i->kind == UNLOCK || i->kind == TRYLOCK || i->kind == WAIT || i->kind == POST))
    engine_touch(e);
  if (t->steps < TOY_LOG)
    t->log[t->steps] = (unsigned char)code;
  t->steps++;
  t->bug = t->program->bug && t->program->bug(&t->state);
  if (!t->bug)
    toy_announce(t, code);
  else
    engine_stop(e);
}

static inline void toy_world_begin(void *self)
{
  struct toy *t = self;
  t->state = toy_start(t->program);
  t->code_of[0] = 0;
  t->bug = false;
  t->steps = 0;
}

static inline void toy_world_go_on(void *self, unsigned thread)
{
  struct toy *t = self;
  if (t->engine->thread[thread].alive) {
    toy_perform(t, thread);
  } else if (t->program->code[0]) {
    toy_announce(t, 0);
  } else {
    for (int i = 1; i < t->program->threads; i++)
      t->code_of[engine_add_thread(t->engine, 0, (uintptr_t)i, 7)] = i;
    engine_end_thread(t->engine);
  }
}

static inline struct world toy_world(struct toy *t)
{
  return (struct world){.self = t,
                        .begin = toy_world_begin,
                        .go_on = toy_world_go_on,
                        .name = toy_world_name,
                        .address = toy_world_address,
                        .enabled = toy_world_enabled,
                        .calls = toy_world_calls,
                        .state = toy_world_state,
                        .released = toy_world_released,
                        .local = toy_world_local};
}

/* Memory that is only touched where it is used: the engine and the control block are large. */
static inline void *toy_memory(size_t size)
{
  void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
    abort();
  return memory;
}

enum { TOY_SCHEDULE_ROOM = 64 << 20 };

static inline struct toy *toy_open(const struct toy_program *program)
{
  struct toy *t = toy_memory(sizeof *t);
  t->program = program;
  t->control = toy_memory(CONTROL_MAPPING_SIZE);
  t->control->config.max_steps = 1000000;
  t->engine = toy_memory(sizeof *t->engine);
  t->engine->control = t->control;
  t->world = toy_world(t);
  t->engine->world = &t->world;
  t->schedule_size = TOY_SCHEDULE_ROOM;
  t->schedule = toy_memory(t->schedule_size);
  return t;
}

/* A new session: set t->control->config first. */
static inline void toy_use(struct toy *t, enum strategy_id id, uint64_t seed)
{
  if (t->engine->strategy_state)
    munmap(t->engine->strategy_state, t->engine->strategy->state_size);
  t->engine->strategy = strategy_table[id];
  t->engine->strategy_state = toy_memory(t->engine->strategy->state_size);
  t->control->config.strategy = id;
  t->control->config.seed = seed;
  t->execution = 0;
  t->engine->job = control_job(t->control);
  if (t->engine->strategy->open)
    t->engine->strategy->open(t->engine->strategy_state, &t->engine->job);
}

static inline void toy_close(struct toy *t)
{
  if (t->engine->strategy_state)
    munmap(t->engine->strategy_state, t->engine->strategy->state_size);
  munmap(t->engine, sizeof *t->engine);
  munmap(t->control, CONTROL_MAPPING_SIZE);
  munmap(t->schedule, t->schedule_size);
  munmap(t, sizeof *t);
}

/* One execution, and what the strategy says afterwards: whether there is another one. */
static inline bool toy_run(struct toy *t)
{
  struct engine *e = t->engine;
  t->control->execution = t->execution;
  unsigned end = engine_run(e, t->execution++);
  t->end = end == NEXT_OVER ? 0 : end;
  t->bug |= t->end == NEXT_DEADLOCK;
  e->outcome.bug = t->bug;
  e->outcome.bug_key = t->end == NEXT_DEADLOCK ? 2 : 1;
  e->outcome.schedule = engine_write_schedule(e, t->schedule, t->schedule_size) ? t->schedule : NULL;
  return engine_conclude(e);
}

/* The last schedule becomes the one to replay or to shrink. */
static inline struct schedule_record *toy_hand_over(struct toy *t)
{
  struct schedule_record *in = CONTROL_AT(t->control, JOB_SCHEDULE_OFFSET);
  memcpy(in, t->schedule, t->schedule->bytes);
  t->control->job_bytes[JOB_SCHEDULE] = in->bytes;
  return in;
}

/* Preemptions of a schedule. */
static inline uint32_t toy_preemptions(struct schedule_record *r)
{
  uint32_t n = 0;
  for (uint32_t i = 0; i + 1 < r->segments; i++)
    n += schedule_segments(r)[i].enabled;
  return n;
}

#endif
