/* SPDX-License-Identifier: Apache-2.0
 *
 * The orderings of a test; see test_orderings.h.
 *
 * A test with several is one search: which of them an execution keeps is a choice like those of hd_choose(), made
 * before its first step. So the schedule of a bug says which it was.
 */
#include "worlds/threads/framework/test_orderings.h"
#include "core/without_libc.h"
#include "language/order_list.h"
#include "language/order_parse.h"
#include "worlds/threads/framework/testing.h"
#include "worlds/threads/memory/system_memory.h"
#include "worlds/threads/process/property_events.h"
#include "worlds/threads/runtime.h"

/* All that the program has; the same in the control block. */
static const struct hd_schedule *known[ORDERINGS_MOST];
static uint32_t known_count;
static bool too_many;

/* Zero unless there are orderings. */
static char thread_name[MAX_THREADS][ORDERING_THREAD] SYSTEM;
static char next_name[MAX_THREADS][ORDERING_THREAD] SYSTEM; /* of the thread that this one creates next */

/* Before main, by every file that includes the header. */
EXPORT void hd__schedules(const struct hd_schedule *from, const struct hd_schedule *to)
{
  for (; from < to; from++)
    too_many |= !order_list_add(known, &known_count, ORDERINGS_MOST, from);
}

static void read_ordering(struct ordering *out, const struct hd_schedule *from)
{
  struct order_error error;
  if (!order_read((enum order_kind)from->kind, from->text, out, &error))
    fail(0, "%s:%u: in schedule %s, line %u, column %u: %s", from->file, from->line, from->name, error.line,
         error.column, error.text);
  if (text_length(from->name) >= sizeof out->name)
    fail(0, "%s:%u: the name of schedule %s is too long", from->file, from->line, from->name);
  print_text(out->name, sizeof out->name, "%s", from->name);
}

static uint32_t ordering_named(const char *name)
{
  const struct control *c = rt.control;
  uint32_t i = 0;
  while (i < c->orderings.count && text_compare(c->orderings.ordering[i].name, name) != 0)
    i++;
  return i;
}

static void read_orderings(void)
{
  struct control *c = rt.control;
  if (too_many)
    fail(0, "the test names more than %u schedules (HD_SCHEDULE)", ORDERINGS_MOST);
  for (; c->orderings.count < known_count; c->orderings.count++) {
    const struct hd_schedule *from = known[c->orderings.count];
    if (ordering_named(from->name) < c->orderings.count)
      fail(0, "%s:%u: there is another schedule %s", from->file, from->line, from->name);
    read_ordering(&c->orderings.ordering[c->orderings.count], from);
  }
}

void test_orderings_begin(void)
{
  struct control *c = rt.control;
  read_orderings();
  c->orderings.now = 0;
  if (!c->orderings.count)
    return;
  fill_bytes(thread_name, 0, sizeof thread_name);
  fill_bytes(next_name, 0, sizeof next_name);
  print_text(thread_name[0], sizeof thread_name[0], "main");
}

/* The one that the user wants, or how many there are. */
static uint32_t wanted(void)
{
  const struct control *c = rt.control;
  const char *name = c->config.ordering;
  uint32_t i = name[0] ? ordering_named(name) : c->orderings.count;
  if (name[0] && i == c->orderings.count)
    fail(0,
         c->orderings.count ? "the test has no schedule %s (HD_SCHEDULE); its first is %s"
                            : "the test has no schedule %s (HD_SCHEDULE)",
         name, c->orderings.ordering[0].name);
  return i;
}

void test_orderings_choose(void)
{
  struct control *c = rt.control;
  uint32_t one = wanted(), n = c->orderings.count;
  bool follows = rt.engine->job.bytes[JOB_SCHEDULE] > 0; /* that has decided */
  if (!n)
    return;
  if (n == 1) {
    one = 0;
  } else {
    struct operation op = {.kind = OP_CHOOSE, .arg = n};
    step(&op);
    if (one < n && !follows)
      engine_decided(rt.engine, n, one);
    else
      one = engine_choose(rt.engine, n);
    performed((int)one);
  }
  c->orderings.now = one + 1;
  c->orderings.tally[one].executions++;
}

/* ---- threads ---- */

void test_name_thread(unsigned thread, const char *name)
{
  char *told = rt.control->thread[thread].name;
  print_text(told, sizeof rt.control->thread[thread].name, "%s", name);
  if (rt.control->orderings.count)
    print_text(thread_name[thread], sizeof thread_name[thread], "%s", name);
}

void test_thread_added(unsigned thread, unsigned creator)
{
  if (!next_name[creator][0])
    return;
  test_name_thread(thread, next_name[creator]);
  next_name[creator][0] = 0;
}

EXPORT void hd__name_thread(const char *name)
{
  if (hd_self)
    test_name_thread(self_index(), name);
}

EXPORT void hd__name_next(const char *name)
{
  if (hd_self)
    print_text(next_name[self_index()], sizeof next_name[0], "%s", name);
}

/* By who created it. */
static void path_of(unsigned thread, char out[ORDERING_THREAD])
{
  const struct thread_info *info = rt.control->thread;
  uint32_t nth[ORDERING_THREAD / 2]; /* longer ones have no name */
  unsigned n = 0;
  for (; thread && n < ORDERING_THREAD / 2; thread = info[thread].parent)
    nth[n++] = info[thread].nth;
  print_text(out, ORDERING_THREAD, "%s", thread ? "" : "main");
  while (n && !thread)
    ordering_child_name(out, nth[--n], out);
}

bool test_thread_is_called(void *self, unsigned thread, const char *name)
{
  (void)self;
  char path[ORDERING_THREAD];
  if (text_compare(thread_name[thread], name) == 0)
    return true;
  path_of(thread, path);
  return text_compare(path, name) == 0;
}

/* ---- events ---- */

static const struct ordering *ordering_now(void)
{
  const struct control *c = rt.control;
  return c->orderings.now ? &c->orderings.ordering[c->orderings.now - 1] : NULL;
}

/* Threads are called by their names, or by who created them. */
static unsigned event_in(const struct ordering *o, enum ordering_event_kind kind, const char *name, unsigned thread)
{
  unsigned event = ordering_event_of(o, kind, name, thread_name[thread]);
  if (event || !thread)
    return event;
  char path[ORDERING_THREAD];
  path_of(thread, path);
  return ordering_event_of(o, kind, name, path);
}

unsigned test_event_of(void *self, unsigned thread, const struct operation *op)
{
  (void)self;
  const struct ordering *o = ordering_now();
  if (!o)
    return 0;
  switch (op->kind) {
  case OP_EVENT:
    return (unsigned)op->arg;
  case OP_START:
    return event_in(o, ORDERING_START, NULL, thread);
  case OP_EXIT:
  case OP_END:
    return event_in(o, ORDERING_END, NULL, thread);
  default:
    return 0;
  }
}

EXPORT void hd__event(const char *name)
{
  if (!hd_self)
    return;
  const struct ordering *o = ordering_now();
  struct operation op = {.kind = OP_EVENT, .addr = (uintptr_t)name, .pc = CALLER()};
  op.arg = o ? event_in(o, ORDERING_MARK, name, self_index()) : 0;
  step(&op);
  performed(0);
  property_mark(name, op.pc);
}

/* False: nobody is here to be told, and the test counts by itself. */
EXPORT bool hd__check(const char *condition, const char *file, unsigned line)
{
  if (!hd_self)
    return false;
  char where[192];
  print_text(where, sizeof where, "%s:%u", file, line);
  assertion_failed(where, condition, CALLER());
}
