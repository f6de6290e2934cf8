/* SPDX-License-Identifier: Apache-2.0
 *
 * Which operations depend on each other, checked by running both orders.
 *
 * Small models of memory, mutexes, spin locks, read-write locks and semaphores stand here, written from POSIX and not
 * from the runtime. Two operations that op_dependent() calls independent must, in every state of the model, lead to the
 * same state with the same results in both orders, and neither may enable or disable the other. An independent pair on
 * one object that no model covers is a failure too: whoever lets more operations commute has to bring a model.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/operation.h"
#include "core/rng.h"
#include <string.h>

#define FIRST 1 /* the two threads; a third one may hold things */
#define SECOND 2

/* ---- models of locks and semaphores ---- */

struct model {
  int owner;          /* thread, 0 for none */
  int readers[4];     /* locks held by each thread */
  int value;          /* of a semaphore */
  bool destroyed;
  bool writer_waits;  /* a third thread waits to write, on a lock that prefers writers */
};

enum result { DONE, WOULD_NOT, MISUSE, VALUE_0 };

static int all_readers(const struct model *m)
{
  return m->readers[1] + m->readers[2] + m->readers[3];
}

static bool model_enabled(const struct model *m, enum op_kind kind)
{
  switch (kind) {
  case OP_MUTEX_LOCK:
  case OP_SPIN_LOCK:
    return !m->owner;
  case OP_RWLOCK_RDLOCK:
    return !m->owner && !m->writer_waits;
  case OP_RWLOCK_WRLOCK:
    return !m->owner && !all_readers(m);
  case OP_SEM_WAIT:
    return m->value > 0;
  default:
    return true;
  }
}

static int model_apply(struct model *m, int thread, enum op_kind kind)
{
  switch (kind) {
  case OP_MUTEX_INIT:
  case OP_RWLOCK_INIT:
    memset(m, 0, sizeof *m);
    return DONE;
  case OP_SEM_INIT:
    m->value = 1;
    m->destroyed = false;
    return DONE;
  case OP_MUTEX_DESTROY:
  case OP_RWLOCK_DESTROY:
  case OP_SEM_DESTROY:
    if (m->owner || all_readers(m))
      return MISUSE;
    m->destroyed = true;
    return DONE;
  case OP_MUTEX_LOCK:
  case OP_MUTEX_TRYLOCK:
  case OP_MUTEX_TIMEDLOCK:
  case OP_SPIN_LOCK:
  case OP_SPIN_TRYLOCK:
    if (m->destroyed)
      return MISUSE;
    if (m->owner)
      return WOULD_NOT;
    m->owner = thread;
    return DONE;
  case OP_MUTEX_UNLOCK:
  case OP_SPIN_UNLOCK:
    if (m->owner != thread)
      return MISUSE;
    m->owner = 0;
    return DONE;
  case OP_RWLOCK_RDLOCK:
  case OP_RWLOCK_TRYRDLOCK:
  case OP_RWLOCK_TIMEDRDLOCK:
    if (m->destroyed)
      return MISUSE;
    if (m->owner || m->writer_waits)
      return WOULD_NOT;
    m->readers[thread]++;
    return DONE;
  case OP_RWLOCK_WRLOCK:
  case OP_RWLOCK_TRYWRLOCK:
  case OP_RWLOCK_TIMEDWRLOCK:
    if (m->destroyed)
      return MISUSE;
    if (m->owner || all_readers(m))
      return WOULD_NOT;
    m->owner = thread;
    return DONE;
  case OP_RWLOCK_UNLOCK:
    if (m->owner == thread)
      m->owner = 0;
    else if (m->readers[thread])
      m->readers[thread]--;
    else
      return MISUSE;
    return DONE;
  case OP_SEM_WAIT:
  case OP_SEM_TRYWAIT:
  case OP_SEM_TIMEDWAIT:
    if (m->destroyed)
      return MISUSE;
    if (!m->value)
      return WOULD_NOT;
    m->value--;
    return DONE;
  case OP_SEM_POST:
    if (m->destroyed)
      return MISUSE;
    m->value++;
    return DONE;
  case OP_SEM_GETVALUE:
    return m->destroyed ? MISUSE : VALUE_0 + m->value;
  default:
    fail_msg("no model of %s", op_table[kind].name);
    return 0;
  }
}

/* All states of the models, those of every kind of object among them. */
static unsigned all_states(struct model *out)
{
  unsigned n = 0;
  for (int destroyed = 0; destroyed < 2; destroyed++)
    for (int owner = 0; owner < 4; owner++)
      out[n++] = (struct model){.owner = owner, .destroyed = destroyed};
  for (int mask = 1; mask < 16; mask++)
    out[n++] = (struct model){.readers = {0, mask & 1, mask >> 1 & 1, mask >> 2 & 1}, .writer_waits = mask >> 3};
  for (int value = 1; value < 4; value++)
    out[n++] = (struct model){.value = value};
  return n;
}

static bool modelled(enum object_kind kind)
{
  return kind == OBJECT_MUTEX || kind == OBJECT_SPIN || kind == OBJECT_RWLOCK || kind == OBJECT_SEM;
}

static bool same(const struct model *a, const struct model *b)
{
  return a->owner == b->owner && !memcmp(a->readers, b->readers, sizeof a->readers) && a->value == b->value &&
         a->destroyed == b->destroyed && a->writer_waits == b->writer_waits;
}

/* Whether the order of the two does not matter in that state. */
static bool commutes_in(const struct model *state, enum op_kind a, enum op_kind b)
{
  struct model ab = *state, ba = *state;
  bool a_first = model_enabled(state, a), b_first = model_enabled(state, b);
  int a1 = 0, b1 = 0, a2 = 0, b2 = 0;
  if (a_first)
    a1 = model_apply(&ab, FIRST, a);
  if (b_first)
    b2 = model_apply(&ba, SECOND, b);
  if ((a_first && model_enabled(&ab, b) != b_first) || (b_first && model_enabled(&ba, a) != a_first))
    return false;
  if (!a_first || !b_first)
    return true;
  b1 = model_apply(&ab, SECOND, b);
  a2 = model_apply(&ba, FIRST, a);
  return a1 == a2 && b1 == b2 && same(&ab, &ba);
}

static bool commutes(enum op_kind a, enum op_kind b)
{
  struct model state[64];
  unsigned n = all_states(state);
  assert_true(n <= 64);
  for (unsigned i = 0; i < n; i++)
    if (!commutes_in(&state[i], a, b))
      return false;
  return true;
}

static struct operation on(enum op_kind kind, uint32_t object, uint32_t second)
{
  return (struct operation){.kind = (uint16_t)kind, .object = object, .second = second, .addr = 0x1000 + object * 64};
}

static void independent_operations_on_one_object_commute(void **unused)
{
  (void)unused;
  unsigned independent = 0;
  for (unsigned a = 0; a < OP_COUNT; a++)
    for (unsigned b = 0; b < OP_COUNT; b++) {
      struct operation x = on((enum op_kind)a, 1, 0), y = on((enum op_kind)b, 1, 0);
      if (op_is_memory(x.kind) || op_is_memory(y.kind) || op_table[a].object != op_table[b].object ||
          op_table[a].object == OBJECT_NOTHING || op_dependent(&x, &y))
        continue;
      if (!modelled(op_table[a].object))
        fail_msg("%s and %s are called independent, and no model here shows it", op_table[a].name, op_table[b].name);
      if (!commutes((enum op_kind)a, (enum op_kind)b))
        fail_msg("%s and %s are called independent but do not commute", op_table[a].name, op_table[b].name);
      independent++;
    }
  assert_true(independent >= 3); /* readers, posts, looks; else the test looks at nothing */
}

/* The relation must not be trivially everything either: what plainly commutes is used. */
static void readers_posts_and_looks_are_independent(void **unused)
{
  (void)unused;
  static const enum op_kind kinds[] = {OP_RWLOCK_RDLOCK, OP_SEM_POST, OP_SEM_GETVALUE};
  for (unsigned i = 0; i < 3; i++) {
    struct operation a = on(kinds[i], 1, 0), b = a;
    assert_false(op_dependent(&a, &b));
  }
}

/* The models themselves: they tell what does not commute. */
static void the_models_see_what_does_not_commute(void **unused)
{
  (void)unused;
  static const enum op_kind pairs[][2] = {{OP_MUTEX_LOCK, OP_MUTEX_LOCK},         {OP_MUTEX_LOCK, OP_MUTEX_UNLOCK},
                                          {OP_MUTEX_TRYLOCK, OP_MUTEX_TRYLOCK},   {OP_MUTEX_TRYLOCK, OP_MUTEX_UNLOCK},
                                          {OP_SPIN_LOCK, OP_SPIN_TRYLOCK},        {OP_RWLOCK_RDLOCK, OP_RWLOCK_WRLOCK},
                                          {OP_RWLOCK_TRYRDLOCK, OP_RWLOCK_UNLOCK}, {OP_RWLOCK_WRLOCK, OP_RWLOCK_UNLOCK},
                                          {OP_SEM_WAIT, OP_SEM_WAIT},             {OP_SEM_WAIT, OP_SEM_POST},
                                          {OP_SEM_GETVALUE, OP_SEM_POST},         {OP_SEM_TRYWAIT, OP_SEM_POST},
                                          {OP_MUTEX_DESTROY, OP_MUTEX_LOCK},      {OP_SEM_POST, OP_SEM_DESTROY}};
  for (unsigned i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
    struct operation a = on(pairs[i][0], 1, 0), b = on(pairs[i][1], 1, 0);
    assert_false(commutes(pairs[i][0], pairs[i][1]));
    assert_true(op_dependent(&a, &b));
  }
}

/* ---- memory ---- */

enum { CELLS = 24, MIDDLE = 8 };

/* What an operation reads; writes leave bytes that tell the writer. */
static uint64_t memory_apply(unsigned char *cell, const struct operation *op, unsigned char mark)
{
  uint64_t seen = 0;
  for (uint32_t i = 0; i < op->length; i++) {
    if (op->kind != OP_WRITE && op->kind != OP_ATOMIC_STORE)
      seen = seen << 8 | cell[op->addr + i];
    if (op_writes_memory(op->kind))
      cell[op->addr + i] = mark;
  }
  return seen;
}

static bool memory_commutes(const struct operation *a, const struct operation *b)
{
  unsigned char ab[CELLS], ba[CELLS];
  memset(ab, 0, sizeof ab);
  memset(ba, 0, sizeof ba);
  uint64_t a1 = memory_apply(ab, a, 1), b1 = memory_apply(ab, b, 2);
  uint64_t b2 = memory_apply(ba, b, 2), a2 = memory_apply(ba, a, 1);
  return a1 == a2 && b1 == b2 && !memcmp(ab, ba, sizeof ab);
}

/* Every pair of operations, of sizes and of distances: dependent exactly if the order shows. */
static void memory_depends_byte_by_byte(void **unused)
{
  (void)unused;
  static const uint32_t sizes[] = {1, 2, 3, 4, 8};
  for (unsigned a = OP_READ; a <= OP_FREE; a++)
    for (unsigned b = OP_READ; b <= OP_FREE; b++)
      for (unsigned i = 0; i < 25; i++)
        for (uintptr_t at = 0; at <= CELLS - 8; at++) {
          struct operation x = {.kind = (uint16_t)a, .addr = MIDDLE, .length = sizes[i / 5]};
          struct operation y = {.kind = (uint16_t)b, .addr = at, .length = sizes[i % 5]};
          assert_int_equal(op_dependent(&x, &y), !memory_commutes(&x, &y));
        }
}

static void reads_commute(void **unused)
{
  (void)unused;
  struct operation a = {.kind = OP_READ, .addr = 8, .length = 8}, b = {.kind = OP_ATOMIC_LOAD, .addr = 8, .length = 8};
  assert_false(op_dependent(&a, &a));
  assert_false(op_dependent(&a, &b));
  assert_false(op_dependent(&b, &b));
}

static void memory_at_the_ends_of_the_address_space(void **unused)
{
  (void)unused;
  struct operation low = {.kind = OP_WRITE, .addr = 0, .length = 8};
  struct operation high = {.kind = OP_WRITE, .addr = UINTPTR_MAX - 8, .length = 8};
  assert_false(op_dependent(&low, &high));
  assert_true(op_dependent(&high, &high));
}

/* ---- all of them ---- */

static struct operation some_operation(uint64_t *stream)
{
  struct operation op = on((enum op_kind)rng_below(stream, OP_COUNT), rng_below(stream, 4), rng_below(stream, 4));
  op.addr = rng_below(stream, 16);
  op.length = 1 + rng_below(stream, 8);
  op.arg = rng_below(stream, 4);
  if (op_is_memory(op.kind))
    op.object = op.second = 0;
  return op;
}

static void the_relation_is_symmetric(void **unused)
{
  (void)unused;
  uint64_t stream = 3;
  unsigned dependent = 0;
  for (unsigned i = 0; i < 300000; i++) {
    struct operation a = some_operation(&stream), b = some_operation(&stream);
    assert_int_equal(op_dependent(&a, &b), op_dependent(&b, &a));
    dependent += op_dependent(&a, &b);
  }
  assert_in_range(dependent, 1000, 299000);
}

static void different_objects_are_independent(void **unused)
{
  (void)unused;
  for (unsigned a = 0; a < OP_COUNT; a++)
    for (unsigned b = 0; b < OP_COUNT; b++) {
      struct operation x = on((enum op_kind)a, 1, 0), y = on((enum op_kind)b, 2, 0);
      if (!op_is_memory(x.kind) && !op_is_memory(y.kind))
        assert_false(op_dependent(&x, &y));
    }
}

static void operations_without_object_depend_on_nothing(void **unused)
{
  (void)unused;
  static const enum op_kind kinds[] = {OP_YIELD, OP_SLEEP, OP_CHOOSE, OP_EVENT, OP_FENCE};
  for (unsigned i = 0; i < 5; i++)
    for (unsigned b = 0; b < OP_COUNT; b++) {
      struct operation x = on(kinds[i], 0, 0), y = on((enum op_kind)b, 0, 0), z = on((enum op_kind)b, 1, 2);
      assert_false(op_dependent(&x, &y));
      assert_false(op_dependent(&x, &z));
    }
}

/* A wait on a condition variable is an operation on its mutex too. */
static void two_objects_count_both(void **unused)
{
  (void)unused;
  enum { COND = 1, MUTEX = 2, OTHER_COND = 3, OTHER_MUTEX = 4 };
  struct operation wait = on(OP_COND_WAIT, COND, MUTEX);
  struct operation dependent[] = {on(OP_MUTEX_LOCK, MUTEX, 0),   on(OP_MUTEX_UNLOCK, MUTEX, 0),
                                  on(OP_COND_SIGNAL, COND, 0),   on(OP_COND_WAKE, COND, OTHER_MUTEX),
                                  on(OP_COND_WAIT, OTHER_COND, MUTEX)};
  struct operation independent[] = {on(OP_MUTEX_LOCK, OTHER_MUTEX, 0), on(OP_COND_SIGNAL, OTHER_COND, 0),
                                    on(OP_COND_WAIT, OTHER_COND, OTHER_MUTEX)};
  for (unsigned i = 0; i < sizeof dependent / sizeof dependent[0]; i++)
    assert_true(op_dependent(&wait, &dependent[i]) && op_dependent(&dependent[i], &wait));
  for (unsigned i = 0; i < sizeof independent / sizeof independent[0]; i++)
    assert_false(op_dependent(&wait, &independent[i]) || op_dependent(&independent[i], &wait));
}

/* A join waits for the thread's exit: both name the thread as their object. */
static void a_join_depends_on_the_exit(void **unused)
{
  (void)unused;
  struct operation join = on(OP_JOIN, 7, 0), exit = on(OP_EXIT, 7, 0), other = on(OP_EXIT, 8, 0);
  assert_true(op_dependent(&join, &exit));
  assert_false(op_dependent(&join, &other));
}

/* ---- objects are memory too ---- */

/* A lock in a block that another thread frees: a use after free in one order only. */
static void a_free_depends_on_operations_on_what_lies_in_the_block(void **unused)
{
  (void)unused;
  struct operation block = {.kind = OP_FREE, .addr = 0x1000, .length = 128};
  static const enum op_kind kinds[] = {OP_MUTEX_LOCK, OP_MUTEX_UNLOCK, OP_COND_SIGNAL, OP_SEM_POST, OP_RWLOCK_RDLOCK};
  for (unsigned i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
    struct operation inside = on(kinds[i], 1, 0), outside = on(kinds[i], 1, 0);
    inside.addr = 0x1040;
    outside.addr = 0x1080;
    assert_true(op_dependent(&block, &inside) && op_dependent(&inside, &block));
    assert_false(op_dependent(&block, &outside) || op_dependent(&outside, &block));
  }
}

/* A futex wait compares the word: it sleeps or not, depending on who comes first. */
static void a_futex_wait_depends_on_writes_to_its_word(void **unused)
{
  (void)unused;
  struct operation wait = on(OP_FUTEX_WAIT, 5, 0);
  wait.addr = 0x2000;
  static const enum op_kind kinds[] = {OP_WRITE, OP_ATOMIC_STORE, OP_ATOMIC_RMW};
  for (unsigned i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
    struct operation word = {.kind = (uint16_t)kinds[i], .addr = 0x2000, .length = 4}, next = word, byte = word;
    next.addr = 0x2004;
    byte.addr = 0x2003;
    byte.length = 1;
    assert_true(op_dependent(&wait, &word) && op_dependent(&word, &wait));
    assert_true(op_dependent(&wait, &byte) && op_dependent(&byte, &wait));
    assert_false(op_dependent(&wait, &next) || op_dependent(&next, &wait));
  }
  struct operation read = {.kind = OP_ATOMIC_LOAD, .addr = 0x2000, .length = 4};
  assert_false(op_dependent(&wait, &read) || op_dependent(&read, &wait));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(independent_operations_on_one_object_commute),
      cmocka_unit_test(readers_posts_and_looks_are_independent),
      cmocka_unit_test(the_models_see_what_does_not_commute),
      cmocka_unit_test(memory_depends_byte_by_byte),
      cmocka_unit_test(reads_commute),
      cmocka_unit_test(memory_at_the_ends_of_the_address_space),
      cmocka_unit_test(the_relation_is_symmetric),
      cmocka_unit_test(different_objects_are_independent),
      cmocka_unit_test(operations_without_object_depend_on_nothing),
      cmocka_unit_test(two_objects_count_both),
      cmocka_unit_test(a_join_depends_on_the_exit),
      cmocka_unit_test(a_free_depends_on_operations_on_what_lies_in_the_block),
      cmocka_unit_test(a_futex_wait_depends_on_writes_to_its_word),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
