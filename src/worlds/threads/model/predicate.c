/* SPDX-License-Identifier: Apache-2.0
 *
 * Conditions that the program declared (heddle.h): observers are told of every change of their values, and of the
 * places where a wait or a signal depends on one.
 *
 * A thread runs alone between two steps. So all predicates are asked whenever a thread comes to a step, and whatever
 * changed since its last one is its doing, whether that memory is shared or not, with a lock or without. Telling it is
 * no scheduling point, or others could come between the change and its news; the beginning of a guard is one.
 *
 * The program's function is called with the hooks asleep: it must not lock, wait or create.
 */
#include "worlds/threads/model/predicate.h"
#include "core/observer.h"
#include "heddle.h"
#include "worlds/threads/model/cond.h"
#include "worlds/threads/model/mutex.h"
#include "worlds/threads/runtime.h"

#define PREDICATES 64

static struct {
  const struct hd_predicate *predicate;
  bool value;
} declared[PREDICATES];

uint32_t predicates_declared;

void predicates_reset(void)
{
  predicates_declared = 0;
}

static bool value_of(const struct hd_predicate *p)
{
  struct thread_state *self = hd_self;
  hd_self = NULL;
  bool value = p->holds(p->of);
  hd_self = self;
  return value;
}

static void tell(enum op_kind kind, const struct hd_predicate *p, uint64_t arg, uintptr_t pc)
{
  struct operation op = {.kind = (uint16_t)kind, .arg = arg, .pc = pc};
  if (p) {
    op.object = object_at(p, OBJECT_PREDICATE, NULL)->id;
    op.addr = (uintptr_t)p;
  }
  engine_about(rt.engine, &op);
}

void predicates_look(uintptr_t pc)
{
  for (uint32_t i = 0; i < predicates_declared; i++) {
    bool value = value_of(declared[i].predicate);
    if (value == declared[i].value)
      continue;
    declared[i].value = value;
    tell(OP_PREDICATE, declared[i].predicate, value, pc);
  }
}

static uint32_t index_of(const struct hd_predicate *p)
{
  uint32_t i = 0;
  while (i < predicates_declared && declared[i].predicate != p)
    i++;
  return i;
}

EXPORT void hd__predicate(struct hd_predicate *p, const char *name, bool (*holds)(void *), void *of)
{
  *p = (struct hd_predicate){name, holds, of};
  if (!hd_self)
    return;
  uint32_t i = index_of(p);
  if (i == PREDICATES)
    fail(CALLER(), "the program declares more than 64 predicates");
  declared[i].predicate = p;
  declared[i].value = value_of(p);
  predicates_declared += i == predicates_declared;
  tell(OP_PREDICATE, p, declared[i].value, CALLER());
}

EXPORT void hd__predicate_end(struct hd_predicate *p)
{
  uint32_t i = index_of(p);
  if (hd_self && i < predicates_declared)
    declared[i] = declared[--predicates_declared];
}

static void begin(enum op_kind kind, struct hd_predicate *p, void *cond, void *mutex, uintptr_t pc)
{
  if (!hd_self || index_of(p) == predicates_declared)
    return;
  struct operation op = cond_operation(kind, cond_object(cond), mutex_object(mutex), pc);
  step(&op);
  performed(0);
  tell(OP_PREDICATE, p, value_of(p), pc);
}

EXPORT void hd__wait_begin(struct hd_predicate *p, void *cond, void *mutex)
{
  begin(OP_COND_GUARD_WAIT, p, cond, mutex, CALLER());
}

EXPORT void hd__notify_begin(struct hd_predicate *p, void *cond, void *mutex, enum hd_notify kind)
{
  begin(kind == HD_BROADCAST ? OP_COND_GUARD_BROADCAST : OP_COND_GUARD_SIGNAL, p, cond, mutex, CALLER());
}

EXPORT void hd__guard_end(struct hd_predicate *p)
{
  if (!hd_self || index_of(p) == predicates_declared)
    return;
  predicates_look(CALLER());
  tell(OP_GUARD_END, NULL, 0, CALLER());
}

EXPORT void hd__changed(void)
{
  if (hd_self)
    predicates_look(CALLER());
}
