/* SPDX-License-Identifier: Apache-2.0
 *
 * The partial order of executions nobody wrote: what it says of two events must be what follows from the dependence of
 * all pairs before them, however it was found (chains, zones, the list of those without a place, no further back than
 * to the same step). And where threads stood is known as long as the events are.
 */
#include "core/rng.h"
#include "explore/order.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <sys/mman.h>

#define THREADS 5u
#define EVENTS 160u
#define BASE UINT64_C(0x10000)
#define PLACES 200u

static struct order *o;
static uint64_t seed;
static uint64_t arrivals;
static bool before[EVENTS][EVENTS]; /* [e][f]: f comes before e */

static unsigned chance(unsigned n)
{
  seed = mix64(seed + 1);
  return (unsigned)(seed % n);
}

static uint64_t state(void *self, const struct operation *op, uint64_t key)
{
  (void)self, (void)key;
  return op->kind == OP_BARRIER_ARRIVE ? arrivals / THREADS : 0;
}

static const struct world world = {.state = state};

static struct operation access(enum op_kind kind, bool large)
{
  unsigned length = large ? 65 + chance(1200) : 1u << chance(4);
  unsigned where = chance(2) ? chance(32) & ~7u : chance(large ? 1500 : 3000);
  return (struct operation){.kind = (uint8_t)kind,
                            .addr = BASE + where,
                            .length = length,
                            .second = kind == OP_ATOMIC_RMW ? chance(3) : UPDATE_NONE};
}

static struct operation any_operation(unsigned thread)
{
  static const enum op_kind small[] = {OP_READ, OP_WRITE, OP_ATOMIC_RMW, OP_ATOMIC_STORE, OP_ATOMIC_RMW, OP_FREE};
  static const enum op_kind lock[] = {OP_RWLOCK_RDLOCK, OP_RWLOCK_WRLOCK, OP_RWLOCK_UNLOCK, OP_SEM_POST,
                                      OP_SEM_WAIT,      OP_SEM_GETVALUE,  OP_MUTEX_LOCK,    OP_MUTEX_UNLOCK};
  uint32_t last = o->last[thread];
  if (last && o->event[last - 1].op.kind == OP_BARRIER_ARRIVE)
    return (struct operation){.kind = OP_BARRIER_LEAVE, .object = 9, .addr = BASE + 5000};
  const struct order_event *again = o->events && chance(2) ? &o->event[chance(o->events)] : NULL;
  if (again && again->op.kind != OP_BARRIER_ARRIVE && again->op.kind != OP_BARRIER_LEAVE)
    return again->op;
  switch (chance(8)) {
  case 0:
  case 1:
    return access(chance(3) ? OP_READ : OP_WRITE, true);
  case 2:
    return access(OP_FREE, chance(2));
  case 3:
    return (struct operation){
        .kind = (uint8_t)lock[chance(8)], .object = 7, .addr = BASE + 8 * chance(4), .traits = OP_ON_HEAP};
  case 4:
    if (chance(3))
      return (struct operation){.kind = OP_BARRIER_ARRIVE, .object = 9, .addr = BASE + 5000};
    if (chance(2))
      return (struct operation){.kind = OP_CANCEL, .object = 3, .addr = 1 + chance(2), .arg = chance(THREADS)};
    return (struct operation){.kind = OP_SIGNAL_SEND, .object = 3, .addr = 1, .arg = 10 + chance(2)};
  default:
    return access(small[chance(6)], false);
  }
}

static bool comes_after(const struct order_event *e, const struct order_event *f)
{
  bool round = e->op.kind == OP_BARRIER_LEAVE && f->op.kind == OP_BARRIER_ARRIVE && e->op.arg == f->op.arg;
  return e->thread == f->thread || round || order_dependent(o, f, e);
}

/* From the definition. */
static void close_over(uint32_t e)
{
  for (uint32_t f = 0; f < e; f++)
    before[e][f] = comes_after(&o->event[e], &o->event[f]);
  for (uint32_t f = e; f-- > 0;)
    for (uint32_t g = 0; before[e][f] && g < f; g++)
      before[e][g] |= before[f][g];
}

static void compare(uint32_t e)
{
  bool races = false;
  uint32_t own = o->event[e].previous; /* + 1 */
  for (uint32_t f = 0; f < e; f++) {
    assert_int_equal(order_before(o, f, &o->event[e]), before[e][f]);
    bool dependent = o->event[f].thread != o->event[e].thread && order_dependent(o, &o->event[f], &o->event[e]);
    races |= dependent && !(own && (f + 1 == own || before[own - 1][f]));
  }
  if (o->event[e].op.kind != OP_BARRIER_LEAVE) /* what it waits for is in its own past, too */
    assert_int_equal(o->event[e].races, races);
}

static void grow_to(uint32_t events)
{
  while (o->events < events) {
    unsigned thread = chance(THREADS);
    struct operation op = any_operation(thread);
    order_add(o, &world, thread, &op, NULL, 1 + chance(PLACES));
    arrivals += op.kind == OP_BARRIER_ARRIVE;
    assert_false(o->full);
    close_over(o->events - 1);
    compare(o->events - 1);
  }
}

static void takes_back_to(uint32_t events)
{
  for (uint32_t e = events; e < o->events; e++)
    arrivals -= o->event[e].op.kind == OP_BARRIER_ARRIVE;
  order_truncate(o, events);
}

static bool stands_somewhere(void)
{
  bool somewhere = false;
  for (unsigned thread = 0; thread < THREADS; thread++)
    for (uint64_t local = 1; local <= PLACES; local++)
      somewhere |= order_may_have_stood(o, thread, local, 0);
  return somewhere;
}

static void places_are_known_as_long_as_events(void **unused)
{
  (void)unused;
  for (unsigned round = 0; round < 20; round++) {
    seed = round;
    grow_to(EVENTS);
    takes_back_to(chance(EVENTS));
    grow_to(EVENTS);
    for (uint32_t e = 0; e < o->events; e++)
      assert_true(order_may_have_stood(o, o->event[e].thread, o->event[e].local, o->event[e].op.pc));
    takes_back_to(0);
    assert_false(stands_somewhere());
  }
}

static void order_is_what_dependence_says(void **unused)
{
  (void)unused;
  for (unsigned round = 0; round < 60; round++) {
    seed = round;
    grow_to(EVENTS);
    for (unsigned again = 0; again < 3; again++) {
      takes_back_to(chance(EVENTS));
      grow_to(EVENTS);
    }
    takes_back_to(0);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(order_is_what_dependence_says),
                                     cmocka_unit_test(places_are_known_as_long_as_events)};
  o = mmap(NULL, sizeof *o, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return o == MAP_FAILED ? 1 : cmocka_run_group_tests(tests, NULL, NULL);
}
