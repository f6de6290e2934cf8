/* SPDX-License-Identifier: Apache-2.0
 *
 * Trace programs as a world of the engine; see model.h. What an operation means stands here once: enabled(), perform().
 * All threads exist from the start; a START is the post of a semaphore that the thread waits for, so that the order of
 * creations does not tell executions apart.
 */
#include "worlds/trace/model.h"
#include "core/engine.h"
#include "core/key.h"
#include "core/rng.h"
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

enum status { UNBORN, RUNNING, WAITING, SIGNALLED, MEETING, DONE };

/* Behind the trace's objects: what threads wait for before they run, and mutexes that nobody ever holds. */
struct cell {
  uint32_t owner;   /* of a lock, 0 for none */
  uint32_t readers; /* of a read-write lock */
  uint32_t units;   /* of a semaphore */
  uint32_t arrived; /* at a barrier, in this round */
  uint32_t round;
};

struct actor {
  enum status status;
  uint32_t at;    /* line */
  uint32_t round; /* of the barrier it has come to */
};

struct move {
  uint32_t thread, line;
  uint16_t op;
};

struct model {
  struct world world; /* with itself as self */
  const struct trace_program *program;
  struct control *control;
  struct engine *engine;
  struct cell *cell;
  uint32_t cells;
  struct actor *actor;
  int64_t *value;    /* of variables */
  struct move *move; /* of this execution */
  uint32_t moves, move_room;
  bool failed;
  struct model_result *result;
};

/* ---- names of things, as operations have them ---- */

enum { STEP = 64 };
#define WORDS UINT64_C(0x100000000)
#define CELLS UINT64_C(0x200000000)
#define THREADS UINT64_C(0x300000000)

static uintptr_t cell_addr(uint32_t cell)
{
  return CELLS + STEP * (uintptr_t)cell;
}

static uint32_t start_cell(const struct trace_program *p, uint32_t thread)
{
  return p->objects + thread;
}

static uint32_t mutex_cell(const struct trace_program *p, uint32_t thread, const struct program_line *line)
{
  return line->second ? line->second : p->objects + p->threads + thread;
}

static bool is_rwlock(const struct program_line *line)
{
  return op_table[line->op].object == OBJECT_RWLOCK;
}

static uint16_t kind_of(const struct program_line *line)
{
  bool tries = line->flags & LINE_TRIES, rw = is_rwlock(line);
  switch (line->kind) {
  case LINE_ACQ:
    return rw ? (tries ? OP_RWLOCK_TRYWRLOCK : OP_RWLOCK_WRLOCK) : (tries ? OP_MUTEX_TRYLOCK : OP_MUTEX_LOCK);
  case LINE_SHARE:
    return tries ? OP_RWLOCK_TRYRDLOCK : OP_RWLOCK_RDLOCK;
  case LINE_REL:
    return rw ? OP_RWLOCK_UNLOCK : OP_MUTEX_UNLOCK;
  case LINE_WAIT:
  case LINE_TWAIT:
    return OP_COND_WAIT;
  case LINE_SIG:
    return OP_COND_SIGNAL;
  case LINE_BCAST:
    return OP_COND_BROADCAST;
  case LINE_START:
  case LINE_UP:
    return OP_SEM_POST;
  case LINE_JOIN:
    return OP_JOIN;
  case LINE_DOWN:
    return tries ? OP_SEM_TRYWAIT : OP_SEM_WAIT;
  case LINE_MEET:
    return OP_BARRIER_ARRIVE;
  case LINE_SET:
  case LINE_ADD:
    return OP_WRITE;
  default:
    return OP_READ;
  }
}

/* What variables and predicates look like to the search. */
static uintptr_t word_of(const struct trace_program *p, const struct program_line *line)
{
  uint32_t variable = line->kind == LINE_IF ? p->predicate[line->object].variable : line->object;
  return WORDS + 8 * (uintptr_t)p->variable[variable].word;
}

static struct operation on_cell(enum op_kind kind, uint32_t cell)
{
  return (struct operation){.kind = (uint16_t)kind, .object = cell + 1, .addr = cell_addr(cell)};
}

/* What a thread that runs, or waits in the middle of it, is about to do. */
static struct operation operation_of(const struct model *m, uint32_t thread)
{
  const struct actor *a = &m->actor[thread];
  const struct program_line *line = &m->program->body[thread].line[a->at];
  uint16_t kind = kind_of(line);
  struct operation op;
  if (kind == OP_READ || kind == OP_WRITE)
    op = (struct operation){.kind = kind, .addr = word_of(m->program, line), .length = 8};
  else if (kind == OP_JOIN)
    op = (struct operation){
        .kind = kind, .object = line->object, .addr = THREADS + STEP * (uintptr_t)line->object, .arg = line->object};
  else
    op = on_cell(kind, line->kind == LINE_START ? start_cell(m->program, line->object) : line->object);
  if (kind == OP_RWLOCK_UNLOCK)
    op.arg = !(line->flags & LINE_READER);
  if (kind == OP_COND_WAIT) {
    uint32_t mutex = mutex_cell(m->program, thread, line);
    op.second = mutex + 1;
    op.arg = cell_addr(mutex);
  }
  if (a->status == WAITING || a->status == SIGNALLED)
    op.kind = line->kind == LINE_TWAIT ? OP_COND_TIMEDWAKE : OP_COND_WAKE;
  if (a->status == MEETING)
    op.kind = OP_BARRIER_LEAVE;
  op.pc = (uintptr_t)a->at + 2;
  return op;
}

/* ---- the world ---- */

static bool enabled(void *self, unsigned thread, const struct operation *op)
{
  const struct model *m = self;
  const struct cell *c = &m->cell[op->kind == OP_JOIN ? 0 : op->object - 1];
  switch (op->kind) {
  case OP_MUTEX_LOCK:
    return !c->owner;
  case OP_RWLOCK_RDLOCK:
    return !c->owner;
  case OP_RWLOCK_WRLOCK:
    return !c->owner && !c->readers;
  case OP_SEM_WAIT:
    return c->units > 0;
  case OP_JOIN:
    return m->actor[op->arg].status == DONE;
  case OP_COND_WAKE:
    return m->actor[thread].status == SIGNALLED && !m->cell[op->second - 1].owner;
  case OP_COND_TIMEDWAKE:
    return !m->cell[op->second - 1].owner;
  case OP_BARRIER_LEAVE:
    return c->round != m->actor[thread].round;
  default:
    return true;
  }
}

static uint64_t waiters_number(const struct model *m, uint32_t object)
{
  uint64_t h = 0, asleep = 0;
  for (uint32_t t = 1; t < m->program->threads; t++) {
    const struct actor *a = &m->actor[t];
    if ((a->status != WAITING && a->status != SIGNALLED) || m->program->body[t].line[a->at].object != object)
      continue;
    h += mix64((uint64_t)t << 8 | a->status);
    asleep += a->status == WAITING;
  }
  return h * (WORLD_WAITERS + 1) + asleep;
}

/* Only loops ask for the values of memory, and there are none that wait. */
static uint64_t state(void *self, const struct operation *op, uint64_t key)
{
  const struct model *m = self;
  uint64_t addr = key_address(key);
  (void)op;
  if (!key_is_object(key))
    return 0;
  if (key_kind(key) == OBJECT_THREAD)
    return m->actor[(addr - THREADS) / STEP].status == DONE;
  uint32_t i = (uint32_t)((addr - CELLS) / STEP);
  const struct cell *c = &m->cell[i];
  switch (key_kind(key)) {
  case OBJECT_MUTEX:
    return !c->owner;
  case OBJECT_RWLOCK:
    return c->owner ? 0 : WORLD_ALL - c->readers;
  case OBJECT_SEM:
    return c->units;
  case OBJECT_BARRIER:
    return c->round;
  default:
    return waiters_number(m, i);
  }
}

static bool released(void *self, unsigned thread, const struct operation *op)
{
  const struct model *m = self;
  return (op->kind == OP_COND_WAKE || op->kind == OP_COND_TIMEDWAKE) && m->actor[thread].status == SIGNALLED;
}

static uint64_t no_number(void *self, unsigned thread)
{
  (void)self, (void)thread;
  return 0;
}

/* ---- performing ---- */

/* To the next line that does something. */
static void go_to(struct model *m, uint32_t thread, uint32_t line)
{
  const struct body *body = &m->program->body[thread];
  while (line < body->count && body->line[line].kind == LINE_END)
    line = body->line[line].flags & LINE_LOOPS ? body->line[line].jump : line + 1;
  m->actor[thread].at = line;
  m->actor[thread].status = line < body->count ? RUNNING : DONE;
}

/* Whether the attempt succeeds. */
static bool take(struct cell *c, uint32_t thread, bool shared)
{
  if (c->owner || (c->readers && !shared))
    return false;
  if (shared)
    c->readers++;
  else
    c->owner = thread;
  return true;
}

static void release(struct cell *c, uint32_t thread, bool reader)
{
  if (reader)
    c->readers -= c->readers > 0;
  else if (c->owner == thread)
    c->owner = 0;
}

static void wake(struct model *m, uint32_t cv, bool all)
{
  uint32_t waiting[MAX_THREADS], n = 0;
  for (uint32_t t = 1; t < m->program->threads; t++)
    if (m->actor[t].status == WAITING && m->program->body[t].line[m->actor[t].at].object == cv)
      waiting[n++] = t;
  if (all)
    for (uint32_t i = 0; i < n; i++)
      m->actor[waiting[i]].status = SIGNALLED;
  else if (n)
    m->actor[waiting[engine_choose(m->engine, n)]].status = SIGNALLED;
}

static void meet(struct model *m, struct actor *a, uint32_t barrier)
{
  struct cell *c = &m->cell[barrier];
  a->status = MEETING;
  a->round = c->round;
  if (++c->arrived >= m->program->units[barrier]) {
    c->arrived = 0;
    c->round++;
  }
}

/* The operation of a thread that runs. */
static void perform_line(struct model *m, uint32_t thread, const struct program_line *line)
{
  struct actor *a = &m->actor[thread];
  struct cell *c = &m->cell[line->kind == LINE_START ? start_cell(m->program, line->object) : 0];
  uint32_t next = a->at + 1;
  switch (line->kind) {
  case LINE_ACQ:
  case LINE_SHARE:
    if (!take(&m->cell[line->object], thread, line->kind == LINE_SHARE))
      next = line->jump;
    break;
  case LINE_REL:
    release(&m->cell[line->object], thread, line->flags & LINE_READER);
    break;
  case LINE_WAIT:
  case LINE_TWAIT:
    a->status = WAITING;
    release(&m->cell[mutex_cell(m->program, thread, line)], thread, false);
    return;
  case LINE_SIG:
  case LINE_BCAST:
    wake(m, line->object, line->kind == LINE_BCAST);
    break;
  case LINE_START:
    c->units++;
    break;
  case LINE_DOWN:
    m->cell[line->object].units -= m->cell[line->object].units > 0;
    break;
  case LINE_UP:
    m->cell[line->object].units++;
    break;
  case LINE_MEET:
    meet(m, a, line->object);
    return;
  case LINE_SET:
    m->value[line->object] = line->value;
    break;
  case LINE_ADD:
    m->value[line->object] += line->value;
    break;
  case LINE_IF:
    next = program_holds(m->program, line->object, m->value) ? next : line->jump;
    break;
  default:
    break;
  }
  go_to(m, thread, next);
}

static void note(struct model *m, uint32_t thread, uint16_t op)
{
  if (m->moves == m->move_room) {
    uint32_t room = m->move_room ? 2 * m->move_room : 256;
    struct move *grown = realloc(m->move, room * sizeof *grown);
    if (!grown) {
      m->failed = true;
      return;
    }
    m->move = grown;
    m->move_room = room;
  }
  m->move[m->moves++] = (struct move){thread, m->actor[thread].at, op};
}

static void perform(struct model *m, uint32_t thread, uint16_t op)
{
  struct actor *a = &m->actor[thread];
  if (op == OP_START)
    return;
  if (a->status == UNBORN) {
    m->cell[start_cell(m->program, thread)].units--;
    go_to(m, thread, 0);
    return;
  }
  const struct program_line *line = &m->program->body[thread].line[a->at];
  if (op != OP_BARRIER_LEAVE)
    note(m, thread, op == OP_COND_TIMEDWAKE ? OP_COND_WAKE : op == OP_COND_WAKE ? op : line->op);
  switch (op) {
  case OP_COND_WAKE:
  case OP_COND_TIMEDWAKE:
    if (line->second)
      m->cell[line->second].owner = thread;
    go_to(m, thread, a->at + 1);
    break;
  case OP_BARRIER_LEAVE:
    go_to(m, thread, a->at + 1);
    break;
  default:
    perform_line(m, thread, line);
  }
}

/* ---- deadlocks ---- */

static struct model_step step_of(const struct trace_program *p, const struct move *move)
{
  const struct program_line *line = &p->body[move->thread].line[move->line];
  bool sets = line->kind == LINE_SET || line->kind == LINE_ADD;
  uint32_t object = line->kind == LINE_IF ? p->predicate[line->object].object
                    : sets                ? p->variable[line->object].object
                                          : line->object;
  return (struct model_step){.thread = move->thread,
                             .op = move->op,
                             .flags = line->flags,
                             .object = object,
                             .second = line->second,
                             .site = line->site,
                             .occurrence = line->occurrence,
                             .line = move->line};
}

/* A number for a blocked statement: the same place in the source, or the same object where that is not known. */
static uint64_t statement(const struct model_step *s)
{
  return mix64((uint64_t)s->op << 40 | (s->site ? s->site : UINT64_C(1) << 39 | s->object));
}

static uint64_t key_of(const struct model_step *blocked, uint32_t count)
{
  uint64_t key = 0;
  for (uint32_t i = 0; i < count; i++) {
    uint32_t j = 0;
    while (j < i && statement(&blocked[j]) != statement(&blocked[i]))
      j++;
    if (j == i)
      key += statement(&blocked[i]);
  }
  return key;
}

static bool is_communication(uint16_t op)
{
  return op == OP_COND_WAIT || op == OP_SEM_WAIT || op == OP_BARRIER_ARRIVE;
}

/* Who is blocked, and where. */
static uint32_t find_blocked(const struct model *m, struct model_step blocked[MAX_THREADS])
{
  uint32_t n = 0;
  for (uint32_t t = 1; t < m->program->threads; t++) {
    const struct actor *a = &m->actor[t];
    if (a->status == UNBORN || a->status == DONE)
      continue;
    struct move move = {t, a->at, m->program->body[t].line[a->at].op};
    if (a->status == SIGNALLED || (a->status == WAITING && m->program->body[t].line[a->at].kind == LINE_TWAIT))
      move.op = OP_COND_WAKE;
    blocked[n++] = step_of(m->program, &move);
  }
  return n;
}

static struct model_group *group_of(struct model_result *r, uint64_t key)
{
  for (uint32_t i = 0; i < r->groups; i++)
    if (r->group[i].key == key)
      return &r->group[i];
  struct model_group *grown = realloc(r->group, (r->groups + 1) * sizeof *grown);
  if (!grown)
    return NULL;
  r->group = grown;
  grown[r->groups] = (struct model_group){.key = key};
  return &grown[r->groups++];
}

static bool keep_example(struct model *m, struct model_group *g, const struct model_step *blocked, uint32_t n)
{
  struct model_step *steps = calloc(m->moves + 1, sizeof *steps), *where = calloc(n, sizeof *where);
  if (!steps || !where) {
    free(steps);
    free(where);
    return false;
  }
  for (uint32_t i = 0; i < m->moves; i++)
    steps[i] = step_of(m->program, &m->move[i]);
  memcpy(where, blocked, n * sizeof *where);
  free(g->step);
  free(g->blocked);
  g->step = steps;
  g->steps = m->moves;
  g->blocked = where;
  g->blocked_count = n;
  return true;
}

/* Steps that come later than they did in the recorded run, seen from those before them. Changes of variables count
 * most: what a value was made from is not known, so it had better come from the same. */
static uint64_t distance(const struct model *m)
{
  uint64_t latest = 0, latest_change = 0, steps = 0, changes = 0;
  for (uint32_t i = 0; i < m->moves; i++) {
    const struct program_line *line = &m->program->body[m->move[i].thread].line[m->move[i].line];
    bool change = line->kind == LINE_SET || line->kind == LINE_ADD;
    steps += line->event < latest;
    changes += change && line->event < latest_change;
    latest = line->event > latest ? line->event : latest;
    latest_change = change && line->event > latest_change ? line->event : latest_change;
  }
  return changes << 32 | steps;
}

static void deadlock(struct model *m, bool walks)
{
  struct model_step blocked[MAX_THREADS];
  uint32_t n = find_blocked(m, blocked);
  if (!n || (m->program->ends_with_main && m->actor[1].status == DONE))
    return;
  struct model_group *g = group_of(m->result, key_of(blocked, n));
  m->result->deadlocks++;
  m->failed |= !g;
  if (!g)
    return;
  for (uint32_t i = 0; i < n; i++)
    g->communication |= is_communication(blocked[i].op);
  if (!g->executions++)
    g->walked = walks;
  uint64_t far = distance(m);
  bool better = !g->step || m->moves < g->steps || (m->moves == g->steps && far < g->distance);
  if (better) {
    m->failed |= !keep_example(m, g, blocked, n);
    g->distance = far;
  }
}

/* ---- executions ---- */

static void announce(struct model *m, unsigned thread)
{
  struct operation op;
  if (m->actor[thread].status == DONE) {
    engine_end_thread(m->engine);
    return;
  }
  if (m->actor[thread].status == UNBORN)
    op = on_cell(OP_SEM_WAIT, start_cell(m->program, thread));
  else
    op = operation_of(m, thread);
  engine_announce(m->engine, &op);
}

static void begin(void *self)
{
  struct model *m = self;
  const struct trace_program *p = m->program;
  memset(m->cell, 0, m->cells * sizeof *m->cell);
  for (uint32_t i = 1; i < p->variables; i++)
    m->value[i] = p->variable[i].starts;
  for (uint32_t i = 0; i < p->objects; i++)
    m->cell[i].units = p->units[i];
  m->moves = 0;
  for (uint32_t t = 1; t < p->threads; t++) {
    if (p->body[t].started)
      m->actor[t] = (struct actor){.status = UNBORN};
    else
      go_to(m, t, 0);
  }
}

/* Thread 0 is not part of the trace: it only lets the others begin. */
static void go_on(void *self, unsigned thread)
{
  struct model *m = self;
  struct engine *e = m->engine;
  if (thread == 0) {
    for (uint32_t t = 1; t < m->program->threads; t++)
      engine_add_thread(e, 0, t, 1);
    engine_end_thread(e);
    return;
  }
  engine_about(e, &e->thread[thread].pending);
  perform(m, thread, e->thread[thread].pending.kind);
  engine_perform(e, 0);
  engine_touch(e);
  announce(m, thread);
}

/* One execution, and whether the strategy has another one. */
static bool run(struct model *m, uint64_t execution, bool walks)
{
  struct engine *e = m->engine;
  bool stuck = engine_run(e, execution) == NEXT_DEADLOCK;
  if (stuck)
    deadlock(m, walks);
  e->outcome.bug = stuck;
  e->outcome.bug_key = stuck;
  return engine_conclude(e);
}

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Large, and touched only where it is used. */
static void *sparse(size_t size)
{
  void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return memory == MAP_FAILED ? NULL : memory;
}

/* Executions of one strategy until there are no more, or enough. Whether there were no more. */
static bool search(struct model *m, enum strategy_id id, uint64_t seed, uint64_t most, double until,
                   uint64_t *executions)
{
  struct engine *e = m->engine;
  bool more = true;
  e->strategy = strategy_table[id];
  e->strategy_state = sparse(e->strategy->state_size);
  if (!e->strategy_state) {
    m->failed = true;
    return false;
  }
  m->control->config.strategy = id;
  m->control->config.seed = seed;
  e->job = (struct job){.config = &m->control->config};
  if (e->strategy->open)
    e->strategy->open(e->strategy_state, &e->job);
  while (more && !m->failed && *executions < most && (until <= 0 || now() < until))
    more = run(m, (*executions)++, id == STRATEGY_random);
  munmap(e->strategy_state, e->strategy->state_size);
  return !more;
}

static bool open_model(struct model *m)
{
  const struct trace_program *p = m->program;
  m->cells = p->objects + 2 * p->threads;
  m->control = sparse(sizeof *m->control);
  m->engine = sparse(sizeof *m->engine);
  m->cell = calloc(m->cells, sizeof *m->cell);
  m->actor = calloc(p->threads, sizeof *m->actor);
  m->value = calloc(p->variables + 1, sizeof *m->value);
  if (!m->control || !m->engine || !m->cell || !m->actor || !m->value)
    return false;
  m->control->config.max_steps = UINT32_MAX;
  m->engine->control = m->control;
  m->engine->world = &m->world;
  return true;
}

static void close_model(struct model *m)
{
  if (m->control)
    munmap(m->control, sizeof *m->control);
  if (m->engine)
    munmap(m->engine, sizeof *m->engine);
  free(m->cell);
  free(m->actor);
  free(m->value);
  free(m->move);
}

bool model_explore(const struct trace_program *p, const struct model_limits *limits, struct model_result *result)
{
  struct model m = {.world = {.self = &m,
                              .begin = begin,
                              .go_on = go_on,
                              .enabled = enabled,
                              .calls = no_number,
                              .state = state,
                              .released = released,
                              .local = no_number},
                    .program = p,
                    .result = result};
  double begin = now(), until = limits->seconds > 0 ? begin + limits->seconds / 2 : 0;
  *result = (struct model_result){.too_large = p->threads > MAX_THREADS};
  if (result->too_large)
    return true;
  bool ok = open_model(&m);
  if (ok) {
    result->complete = search(&m, STRATEGY_dpor, 0, limits->executions ? limits->executions : MODEL_EXECUTIONS, until,
                              &result->executions) &&
                       !p->truncated;
    if (!result->complete)
      search(&m, STRATEGY_random, limits->seed, limits->walks ? limits->walks : MODEL_WALKS,
             until > 0 ? begin + limits->seconds : 0, &result->walks);
  }
  close_model(&m);
  result->seconds = now() - begin;
  return ok && !m.failed;
}

void model_free(struct model_result *r)
{
  for (uint32_t i = 0; i < r->groups; i++) {
    free(r->group[i].step);
    free(r->group[i].blocked);
  }
  free(r->group);
  *r = (struct model_result){0};
}
