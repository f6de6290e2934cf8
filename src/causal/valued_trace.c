/* SPDX-License-Identifier: Apache-2.0
 *
 * An execution becomes a trace with values (model.h): step by step, from the operations and from the states that the
 * world shows before and after each. Decides nothing about what to run.
 */
#include "causal/model.h"
#include "core/key.h"
#include "core/rng.h"

#define ERROR_CHECKING 2 /* PTHREAD_MUTEX_ERRORCHECK, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP */
#define KEY_OF_ALL_SYSTEM KEY_SYSTEM

void causal_begin(struct causal_trace *t)
{
  t->events = t->accesses = t->objects = t->words = t->users = t->setups = 0;
  t->threads = 0;
  t->uncovered = (struct uncovered){0};
  t->epoch++;
  for (unsigned i = 0; i < CAUSAL_THREADS; i++)
    t->thread[i] = (struct causal_thread){0};
}

void causal_uncover(struct uncovered *u, enum uncovered_reason why, const struct causal_event *e)
{
  if (u->why)
    return;
  *u = (struct uncovered){.why = (uint8_t)why};
  if (e)
    *u = (struct uncovered){.pc = e->pc, .length = e->length, .kind = e->kind, .why = (uint8_t)why};
}

static void too_much(struct causal_trace *t, const struct causal_event *e)
{
  causal_uncover(&t->uncovered, UNCOVERED_TOO_MUCH, e);
}

uint64_t causal_mix(uint64_t number, uint64_t seen)
{
  return mix64(number ^ mix64(seen + 1));
}

uint64_t causal_bytes(uint8_t bytes)
{
  uint64_t mask = 0;
  for (unsigned i = 0; i < 8; i++)
    mask |= bytes >> i & 1 ? UINT64_C(0xff) << 8 * i : 0;
  return mask;
}

/* ---- rules ---- */

static enum causal_rule rule_of_lock(const struct operation *op)
{
  switch (op->kind) {
  case OP_MUTEX_LOCK:
  case OP_SPIN_LOCK:
  case OP_RWLOCK_WRLOCK:
    return RULE_LOCK;
  case OP_MUTEX_TRYLOCK:
  case OP_MUTEX_TIMEDLOCK:
  case OP_SPIN_TRYLOCK:
  case OP_RWLOCK_TRYWRLOCK:
  case OP_RWLOCK_TIMEDWRLOCK:
    return RULE_TRYLOCK;
  case OP_RWLOCK_RDLOCK:
    return RULE_SHARE;
  case OP_RWLOCK_TRYRDLOCK:
  case OP_RWLOCK_TIMEDRDLOCK:
    return RULE_TRYSHARE;
  case OP_MUTEX_UNLOCK:
    return op->pc ? RULE_UNLOCK : RULE_NONE; /* a robust one that its owner leaves behind: who is next is told */
  default:
    return op_leaves_lock(op->kind) ? RULE_UNLOCK : RULE_NONE;
  }
}

static enum causal_rule rule_of_wait(const struct operation *op)
{
  switch (op->kind) {
  case OP_SEM_WAIT:
    return RULE_TAKE;
  case OP_SEM_TRYWAIT:
  case OP_SEM_TIMEDWAIT:
    return RULE_TRYTAKE;
  case OP_SEM_POST:
    return RULE_POST;
  case OP_SEM_GETVALUE:
    return RULE_COUNT;
  case OP_COND_WAIT:
    return RULE_WAIT;
  case OP_COND_WAKE:
    return op->traits & OP_SPURIOUS ? RULE_NONE : RULE_WAKE;
  case OP_COND_SIGNAL:
    return RULE_SIGNAL;
  case OP_COND_BROADCAST:
    return RULE_BROADCAST;
  case OP_BARRIER_ARRIVE:
    return RULE_ARRIVE;
  case OP_BARRIER_LEAVE:
    return RULE_LEAVE;
  case OP_ONCE_ENTER:
    return RULE_ENTER;
  case OP_ONCE_DONE:
    return RULE_DONE;
  default:
    return op_destroys((enum op_kind)op->kind) || (op_makes_object(op) && op->object) ? RULE_SETUP : rule_of_lock(op);
  }
}

static bool is_beyond_rules(const struct operation *op)
{
  bool far = op_is_global(op) && op->kind != OP_END;
  return far || op_waits_for_system(op) || op_is_on_channels(op->kind) ||
         op->traits & (OP_BEYOND | OP_CANCELLED | OP_SIGNALLED);
}

enum causal_rule causal_rule_of(const struct operation *op)
{
  if (is_beyond_rules(op))
    return RULE_NONE;
  switch (op->kind) {
  case OP_NONE:
  case OP_START:
  case OP_EXIT:
  case OP_END:
  case OP_FENCE:
  case OP_YIELD:
  case OP_EVENT:
  case OP_DETACH:
  case OP_SLEEP:
  case OP_TESTCANCEL:
    return RULE_NOTHING;
  case OP_CHOOSE:
    return RULE_CHOICE;
  case OP_FREE:
    return RULE_FREE;
  case OP_CREATE:
    return RULE_CREATE;
  case OP_JOIN:
    return RULE_JOIN;
  case OP_SYSTEM:
    return op->addr ? RULE_SETUP : RULE_NOTHING;
  default:
    return op_is_access(op->kind) ? RULE_MEMORY : op_is_annotation(op->kind) ? RULE_NOTHING : rule_of_wait(op);
  }
}

uint64_t causal_what(const struct operation *op)
{
  uint64_t h = mix64((uint64_t)op_announced_kind(op) << 56 ^ op->pc);
  if (op_is_memory(op->kind) || op->object)
    h = mix64(h ^ op->addr ^ (uint64_t)op->space << 48);
  if (op_is_memory(op->kind) || op->kind == OP_SYSTEM)
    h = mix64(h ^ op->length);
  if (op->kind == OP_JOIN)
    h = mix64(h ^ op->arg);
  return h;
}

/* ---- objects and words ---- */

/* The place of the key in the table, whether it is there or not. */
static uint32_t slot_of(const struct causal_trace *t, uint64_t key)
{
  uint32_t at = (uint32_t)mix64(key) % CAUSAL_SLOTS;
  while (t->slot[at].epoch == t->epoch && t->slot[at].key != key)
    at = (at + 1) % CAUSAL_SLOTS;
  return at;
}

/* False: it is new. */
static bool look_up(struct causal_trace *t, uint64_t key, uint32_t fresh, uint32_t *index)
{
  uint32_t at = slot_of(t, key);
  bool known = t->slot[at].epoch == t->epoch;
  if (!known) {
    t->slot[at].key = key;
    t->slot[at].epoch = t->epoch;
    t->slot[at].index = fresh;
  }
  *index = t->slot[at].index;
  return known;
}

static void use(struct causal_trace *t, uint32_t *list, const struct causal_event *e, uint8_t bytes)
{
  for (uint32_t u = *list; u; u = t->user[u - 1].next)
    if (t->user[u - 1].thread == e->thread) {
      t->user[u - 1].last = e->nth + 1;
      t->user[u - 1].bytes |= bytes;
      return;
    }
  if (t->users == CAUSAL_USERS) {
    too_much(t, e);
    return;
  }
  t->user[t->users] = (struct causal_user){.next = *list, .last = e->nth + 1, .thread = e->thread, .bytes = bytes};
  *list = ++t->users;
}

/* How it stands when it is met first. What heddle does not show of it is as it is at first. */
static void set_up_object(struct causal_trace *t, struct causal_object *o, const struct world *world,
                          const struct causal_event *e, const struct operation *op)
{
  struct object_view view = {0};
  enum object_kind kind = key_is_object(o->key) ? key_kind(o->key) : OBJECT_NOTHING;
  uint64_t state = key_is_object(o->key) ? world->state(world->self, op, o->key) : 0;
  if (world->object && op->object && world->object(world->self, op->object, &view) && view.kind == kind) {
    o->recursive = view.recursive;
    o->checks = kind == OBJECT_MUTEX && view.type == ERROR_CHECKING;
    if (kind == OBJECT_RWLOCK && view.type == ERROR_CHECKING) /* who waits keeps others out */
      causal_uncover(&t->uncovered, UNCOVERED_WRITERS, e);
  }
  if (kind == OBJECT_SEM || kind == OBJECT_ONCE)
    o->start.count = (int32_t)state;
}

/* + 1 */
static uint32_t number_of_object(struct causal_trace *t, const struct world *world, const struct causal_event *e,
                                 const struct operation *op, uint64_t key)
{
  uint32_t index;
  if (t->objects == CAUSAL_OBJECTS) {
    too_much(t, e);
    return 1;
  }
  if (!look_up(t, key, t->objects, &index)) {
    t->object[t->objects] = (struct causal_object){.key = key};
    set_up_object(t, &t->object[t->objects++], world, e, op);
  }
  return index + 1;
}

static uint32_t number_of_word(struct causal_trace *t, const struct causal_event *e, uint64_t key, uint64_t value)
{
  uint32_t index;
  if (t->words == CAUSAL_WORDS) {
    too_much(t, e);
    return 0;
  }
  if (!look_up(t, key, t->words, &index))
    t->word[t->words++] = (struct causal_word){.key = key, .start = value, .now = value};
  return index;
}

/* ---- steps ---- */

static void add_accesses(struct causal_trace *t, const struct world *world, struct causal_event *e,
                         const struct operation *op)
{
  uintptr_t end = op->addr + (op->length ? op->length : 1), word = op->addr & ~UINT64_C(7);
  bool frees = e->rule == RULE_FREE;
  e->access = t->accesses;
  for (; word < end; word += 8) {
    uint64_t key = key_of_word(op->space, word);
    if (frees && t->slot[slot_of(t, key)].epoch != t->epoch)
      continue; /* nobody else has used it up to now; who does later finds it freed, and that is a bug already */
    if (t->accesses == CAUSAL_ACCESSES || (!frees && e->accesses == CAUSAL_WIDEST)) {
      too_much(t, e);
      return;
    }
    uint64_t seen = frees ? 0 : world->state(world->self, op, key);
    struct causal_access *a = &t->access[t->accesses++];
    *a = (struct causal_access){.word = number_of_word(t, e, key, seen), .seen = seen, .left = seen};
    a->bytes = (uint8_t)op_bytes_in(op, word);
    a->reads = op->kind != OP_WRITE && op->kind != OP_ATOMIC_STORE && !frees;
    use(t, &t->word[a->word].user, e, a->bytes);
    e->accesses++;
  }
}

/* Its object must not have been freed, whatever it holds. */
static void stand_on(struct causal_trace *t, const struct world *world, struct causal_event *e,
                     const struct operation *op)
{
  uint64_t key = key_of_word(op->space, op->addr);
  if (t->accesses == CAUSAL_ACCESSES) {
    too_much(t, e);
    return;
  }
  uint64_t there = world->state(world->self, op, key);
  e->access = t->accesses++;
  e->accesses = 1;
  t->access[e->access] = (struct causal_access){
      .word = number_of_word(t, e, key, there), .bytes = (uint8_t)(1u << (op->addr & 7)), .seen = there, .left = there};
  use(t, &t->word[t->access[e->access].word].user, e, t->access[e->access].bytes);
}

static void note_use(struct causal_trace *t, struct causal_event *e, uint32_t object)
{
  struct causal_object *o = &t->object[object - 1];
  use(t, &o->user, e, UINT8_MAX);
  o->tried |= e->rule == RULE_TRYLOCK || e->rule == RULE_TRYSHARE || e->rule == RULE_TRYTAKE || e->rule == RULE_COUNT;
  if (e->rule != RULE_SETUP || o->setup)
    return;
  if (t->setups == CAUSAL_SETUPS)
    too_much(t, e);
  else
    o->setup = (uint16_t)++t->setups;
}

static void add_objects(struct causal_trace *t, const struct world *world, struct causal_event *e,
                        const struct operation *op)
{
  enum object_kind kind = op_table[op->kind].object;
  if (op->kind == OP_SYSTEM)
    e->object = number_of_object(t, world, e, op, KEY_OF_ALL_SYSTEM);
  else if (op->object && kind != OBJECT_THREAD)
    e->object = number_of_object(t, world, e, op, key_of_object(kind, op->space, op->addr));
  if (e->rule == RULE_WAIT || e->rule == RULE_WAKE)
    e->second = number_of_object(t, world, e, op, key_of_object(OBJECT_MUTEX, op->space, op->arg));
  if (op->object && op->traits & OP_ON_HEAP)
    stand_on(t, world, e, op);
  if (e->object)
    note_use(t, e, e->object);
  if (e->second)
    note_use(t, e, e->second);
}

/* A thread is joined or detached by one other, or what that one is told depends on who comes first. */
static void note_keeper(struct causal_trace *t, const struct causal_event *e, uint64_t kept)
{
  if (kept >= CAUSAL_THREADS)
    too_much(t, e);
  else if (t->thread[kept].keeper && t->thread[kept].keeper != e->thread + 1)
    causal_uncover(&t->uncovered, UNCOVERED_ORDER, e);
  else
    t->thread[kept].keeper = (uint16_t)(e->thread + 1);
}

static void note(struct causal_trace *t, struct causal_event *e, const struct world *world, unsigned thread,
                 const struct operation *op)
{
  *e = (struct causal_event){.what = causal_what(op),
                             .pc = op->pc,
                             .thread = (uint16_t)thread,
                             .nth = t->thread[thread].count,
                             .rule = (uint8_t)causal_rule_of(op),
                             .kind = op->kind,
                             .length = op->length};
  if (e->rule == RULE_MEMORY || e->rule == RULE_FREE)
    add_accesses(t, world, e, op);
  else
    add_objects(t, world, e, op);
  if (e->rule == RULE_JOIN)
    e->object = (uint32_t)op->arg;
  if (e->rule == RULE_MEMORY && op_writes_memory(op->kind) && world->stands_in &&
      world->stands_in(world->self, op->addr))
    causal_uncover(&t->uncovered, UNCOVERED_ELSEWHERE, e);
  if (e->rule == RULE_NONE)
    causal_uncover(&t->uncovered, op->kind == OP_CREATE ? UNCOVERED_PROCESS : UNCOVERED_STEP, e);
  if (e->rule == RULE_JOIN || e->kind == OP_DETACH)
    note_keeper(t, e, op->arg);
}

/* What there is to see before it is taken. */
static void meet(struct causal_trace *t, const struct world *world, const struct operation *op)
{
  struct object_view view = {0};
  uint64_t key = key_of_object(op_table[op->kind].object, op->space, op->addr);
  bool is_object = op->object && !op_is_memory(op->kind) && op_table[op->kind].object != OBJECT_THREAD;
  t->last = *op;
  t->met = is_object ? world->state(world->self, op, key) : 0;
  t->own = is_object && world->object && world->object(world->self, op->object, &view) && view.owner >= 0 &&
           (unsigned)view.owner == t->event[t->events - 1].thread;
}

/* A function of the C library announces what it reads and writes, and then does it at its last step: what it wrote was
 * not there yet when the step of the write was over. Looks at all that the thread has written from one place in the
 * code, before it goes on elsewhere. */
static void check_writes(struct causal_trace *t, const struct world *world, unsigned thread)
{
  struct causal_thread *own = &t->thread[thread];
  for (uint32_t i = own->call; own->place && i < t->events; i++)
    for (unsigned j = 0; t->event[i].thread == thread && j < t->event[i].accesses; j++) {
      const struct causal_access *a = &t->access[t->event[i].access + j];
      const struct causal_word *w = &t->word[a->word];
      if (a->writes && !w->gone && (world->state(world->self, &t->last, w->key) ^ w->now) & causal_bytes(a->bytes))
        causal_uncover(&t->uncovered, UNCOVERED_LATER, &t->event[i]);
    }
}

static void come_to(struct causal_trace *t, const struct world *world, unsigned thread, uintptr_t place)
{
  if (t->thread[thread].place == place)
    return;
  check_writes(t, world, thread);
  t->thread[thread].place = place;
  t->thread[thread].call = t->events;
}

void causal_add(struct causal_trace *t, const struct world *world, unsigned thread, const struct operation *op)
{
  if (t->events == CAUSAL_EVENTS || thread >= CAUSAL_THREADS) {
    too_much(t, t->events ? &t->event[t->events - 1] : NULL);
    return;
  }
  t->threads = thread >= t->threads ? thread + 1 : t->threads;
  come_to(t, world, thread, op->pc);
  note(t, &t->event[t->events], world, thread, op);
  t->thread[thread].count++;
  t->events++;
  meet(t, world, op);
}

/* The round of a barrier changes when it opens. */
static void settle_barrier(struct causal_object *o, bool opens)
{
  o->start.count++; /* only as long as the execution is recorded */
  if (opens) {
    o->limit = (uint32_t)o->start.count;
    o->start.count = 0;
  }
}

/* What it learnt of its object. */
static uint32_t learnt(struct causal_trace *t, const struct causal_event *e, uint64_t after)
{
  struct causal_object *o = &t->object[e->object - 1];
  uint64_t all = key_is_object(o->key) && key_kind(o->key) == OBJECT_RWLOCK ? WORLD_ALL : 1;
  switch (e->rule) {
  case RULE_ARRIVE:
    settle_barrier(o, after != t->met);
    return 0;
  case RULE_TRYLOCK:
    return t->met == all || (t->own && o->recursive);
  case RULE_TRYSHARE:
  case RULE_TRYTAKE:
    return t->met > 0;
  case RULE_COUNT:
    return (uint32_t)t->met;
  case RULE_ENTER:
    return t->met != ONCE_IS_DONE;
  case RULE_SETUP:
    return (uint32_t)after;
  default:
    return e->outcome;
  }
}

static void settle_accesses(struct causal_trace *t, struct causal_event *e, const struct world *world, bool failed)
{
  for (unsigned i = 0; i < e->accesses && e->rule == RULE_MEMORY; i++) {
    struct causal_access *a = &t->access[e->access + i];
    a->writes = op_writes_memory(e->kind) && !failed;
    a->left = a->writes ? world->state(world->self, &t->last, t->word[a->word].key) : a->seen;
    struct causal_word *w = &t->word[a->word];
    w->now = a->writes ? (w->now & ~causal_bytes(a->bytes)) | (a->left & causal_bytes(a->bytes)) : w->now;
  }
  for (unsigned i = 0; i < e->accesses && e->rule == RULE_FREE; i++)
    t->word[t->access[e->access + i].word].gone = true;
}

static uint64_t sign_of(const struct causal_trace *t, const struct causal_event *e)
{
  uint64_t sign = e->what;
  for (unsigned i = 0; i < e->accesses && e->rule == RULE_MEMORY; i++) {
    const struct causal_access *a = &t->access[e->access + i];
    sign = a->reads ? causal_mix(sign, a->seen & causal_bytes(a->bytes)) : sign;
  }
  return causal_sees_outcome(e->rule) ? causal_mix(sign, e->outcome) : sign;
}

void causal_settle(struct causal_trace *t, const struct world *world, bool failed, unsigned created)
{
  struct causal_event *e = t->events ? &t->event[t->events - 1] : NULL;
  if (!e)
    return;
  settle_accesses(t, e, world, failed);
  if (e->object && e->rule != RULE_JOIN && e->kind != OP_SYSTEM)
    e->outcome = learnt(t, e, world->state(world->self, &t->last, t->object[e->object - 1].key));
  e->sign = sign_of(t, e);
  if (!created)
    return;
  if (created >= CAUSAL_THREADS)
    too_much(t, e);
  e->object = created;
  t->threads = created < CAUSAL_THREADS && created >= t->threads ? created + 1 : t->threads;
  if (created < CAUSAL_THREADS) {
    t->thread[created].creator = e->thread + 1u;
    t->thread[created].before = e->nth;
  }
}

void causal_chose(struct causal_trace *t, unsigned n, unsigned value)
{
  struct causal_event *e = &t->event[t->events - 1];
  if (!t->events || (e->rule != RULE_CHOICE && e->rule != RULE_SIGNAL) || e->outcomes || n > UINT16_MAX) {
    causal_uncover(&t->uncovered, UNCOVERED_CHOICE, t->events ? e : NULL);
    return;
  }
  e->outcomes = (uint16_t)n;
  e->outcome = value;
}

void causal_add_pending(struct causal_trace *t, const struct world *world, unsigned thread, const struct operation *op)
{
  if (thread >= CAUSAL_THREADS) {
    too_much(t, NULL);
    return;
  }
  t->threads = thread >= t->threads ? thread + 1 : t->threads;
  come_to(t, world, thread, op->pc);
  note(t, &t->event[CAUSAL_EVENTS + thread], world, thread, op);
  t->thread[thread].pending = true;
}

/* ---- the end ---- */

static void join_clock(struct causal_trace *t, unsigned thread, unsigned other)
{
  for (unsigned i = 0; i < t->threads; i++)
    if (t->clock[other][i] > t->clock[thread][i])
      t->clock[thread][i] = t->clock[other][i];
}

/* All other uses of the object that the step must not change its order with come before it anyway. */
static bool is_ordered(struct causal_trace *t, const struct causal_event *e, unsigned setup)
{
  bool ordered = true;
  for (unsigned i = 0; i < t->threads; i++) {
    uint32_t before = e->rule == RULE_SETUP ? t->setup[setup].use[i] : t->setup[setup].made[i];
    ordered &= i == e->thread || t->clock[e->thread][i] >= before;
  }
  t->setup[setup].use[e->thread] = e->nth + 1;
  if (e->rule == RULE_SETUP)
    t->setup[setup].made[e->thread] = e->nth + 1;
  return ordered;
}

static void check_setups(struct causal_trace *t)
{
  for (unsigned i = 0; i < t->setups; i++)
    for (unsigned u = 0; u < t->threads; u++)
      t->setup[i].use[u] = t->setup[i].made[u] = 0;
  for (unsigned u = 0; u < t->threads; u++)
    for (unsigned i = 0; i < t->threads; i++)
      t->clock[u][i] = 0;
  for (uint32_t i = 0; i < t->events && !t->uncovered.why; i++) {
    const struct causal_event *e = &t->event[i];
    bool ordered = true;
    if (e->rule == RULE_JOIN && e->object < t->threads)
      join_clock(t, e->thread, e->object);
    bool on_object = e->object && e->rule != RULE_JOIN && e->rule != RULE_CREATE;
    if (on_object && t->object[e->object - 1].setup)
      ordered &= is_ordered(t, e, t->object[e->object - 1].setup - 1u);
    if (e->second && t->object[e->second - 1].setup)
      ordered &= is_ordered(t, e, t->object[e->second - 1].setup - 1u);
    t->clock[e->thread][e->thread] = e->nth + 1;
    if (e->rule == RULE_CREATE && e->object && e->object < t->threads)
      join_clock(t, e->object, e->thread); /* what its creator does from now on does not come before it */
    if (!ordered)
      causal_uncover(&t->uncovered, UNCOVERED_ORDER, e);
  }
}

/* Threads are numbered in the order of their creation, which must be the same in all orders. */
static void check_creators(struct causal_trace *t)
{
  unsigned creator = 0;
  for (unsigned i = 0; i < t->threads; i++) {
    unsigned its = t->thread[i].creator;
    if (its && creator && its != creator)
      causal_uncover(&t->uncovered, UNCOVERED_CREATORS, causal_event_of(t, its - 1, t->thread[i].before));
    creator = its ? its : creator;
  }
}

void causal_finish(struct causal_trace *t)
{
  uint32_t first = 0;
  for (unsigned i = 0; i < t->threads; i++) {
    t->thread[i].first = first;
    first += t->thread[i].count + 1;
    if (t->thread[i].pending)
      t->nth[first - 1] = CAUSAL_EVENTS + i;
  }
  for (uint32_t i = 0; i < t->events; i++)
    t->nth[t->thread[t->event[i].thread].first + t->event[i].nth] = i;
  for (uint32_t i = 0; i < t->objects; i++)
    if (key_is_object(t->object[i].key) && key_kind(t->object[i].key) == OBJECT_BARRIER)
      t->object[i].start.count = 0;
  check_creators(t);
  if (t->setups)
    check_setups(t);
}
