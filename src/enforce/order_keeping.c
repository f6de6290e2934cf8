/* SPDX-License-Identifier: Apache-2.0
 *
 * Keeping a schedule in a free run; see order_keeping.h.
 */
#include "enforce/order_keeping.h"
#include "core/formula.h"
#include "core/without_libc.h"
#include "enforce/order_lock.h"
#include "enforce/order_threads.h"
#include <errno.h>

#define PATIENCE UINT64_C(100000000) /* until a held thread looks whether anybody can go on */
#define STANDSTILLS 3                /* so many looks in a row must find nobody */

static struct ordering ordering;
static enum keeping how;
static bool asks; /* somebody asks who is blocked */

static uint32_t lock; /* over all that follows */
static uint64_t occurred, repeated;
static struct formula_past past; /* if it is a formula */
static bool released;            /* nobody is held any more */
static struct order_thread *emitter[ORDERING_EVENTS];
static uint32_t changes;  /* grows whenever a condition may have become true; held threads sleep on it */
static uint32_t sleepers; /* on it */

void order_keep(const struct ordering *kept, enum keeping mode)
{
  ordering = *kept;
  for (unsigned i = 0; i < ordering.events; i++)
    asks |= ordering.event[i].bracketed;
  asks |= ordering.threads > 0;
  if (ordering.is_formula)
    formula_begin(&ordering, &past);
  __atomic_store_n(&how, mode, __ATOMIC_RELEASE);
}

enum keeping order_how(void)
{
  return __atomic_load_n(&how, __ATOMIC_ACQUIRE);
}

bool order_asks(void)
{
  return __atomic_load_n(&asks, __ATOMIC_RELAXED);
}

void order_ask(void)
{
  __atomic_store_n(&asks, true, __ATOMIC_RELAXED);
}

uint32_t order_looks(void)
{
  return __atomic_load_n(&changes, __ATOMIC_SEQ_CST);
}

void order_wait_for_look(uint32_t since, uint64_t nanoseconds)
{
  __atomic_add_fetch(&sleepers, 1, __ATOMIC_SEQ_CST);
  order_sleep(&changes, since, nanoseconds);
  __atomic_sub_fetch(&sleepers, 1, __ATOMIC_SEQ_CST);
}

void order_look_again(void)
{
  __atomic_add_fetch(&changes, 1, __ATOMIC_SEQ_CST);
  if (__atomic_load_n(&sleepers, __ATOMIC_SEQ_CST))
    order_wake(&changes);
}

/* ---- words ---- */

void order_say(const char *text, size_t length)
{
  int error = errno;
  while (length) {
    ssize_t n = write(STDERR_FILENO, text, length);
    if (n <= 0)
      break;
    text += n;
    length -= (size_t)n;
  }
  errno = error;
}

static const char *name_of(const struct order_thread *t)
{
  return t && t->name[0] ? t->name : t && t->path[0] ? t->path : "a thread without a name";
}

/* ---- conditions ---- */

static bool is_called(const struct order_thread *t, const char *name)
{
  return !text_compare(t->name, name) || !text_compare(t->path, name);
}

/* The instant at which the event would happen now. */
static struct formula_instant instant(unsigned event)
{
  struct formula_instant now = {.event = event + 1};
  for (unsigned i = 0; ordering.threads && i < order_thread_count(); i++)
    for (unsigned k = 0; k < ordering.threads; k++)
      if (is_called(order_thread(i), ordering.thread[k]) && order_thread_is_blocked(order_thread(i)))
        now.standing |= 1U << k;
  return now;
}

static struct ordering_moment moment(unsigned event)
{
  struct ordering_moment at = {.occurred = occurred};
  for (uint64_t left = ordering_brackets(&ordering, event) & occurred; left; left &= left - 1) {
    unsigned asked = (unsigned)__builtin_ctzll(left);
    if (emitter[asked] && order_thread_is_blocked(emitter[asked]))
      at.blocked |= ORDERING_BIT(asked);
  }
  return at;
}

static bool may_happen(unsigned event)
{
  return ordering.is_formula ? formula_admits(&ordering, &past, instant(event))
                             : ordering_admits(&ordering, event, moment(event));
}

static size_t unmet_text(unsigned event, char *out, size_t size)
{
  return ordering.is_formula ? formula_unmet_text(&ordering, &past, instant(event), out, size)
                             : ordering_unmet_text(&ordering, event, moment(event), out, size);
}

/* Whether some thread that the event asks for is on its way into a call, and will sleep there without a word. */
static bool is_settling(unsigned event)
{
  for (unsigned i = 0; ordering.threads && i < order_thread_count(); i++)
    for (unsigned k = 0; k < ordering.threads; k++)
      if (is_called(order_thread(i), ordering.thread[k]) && order_thread_may_block(order_thread(i)))
        return true;
  for (uint64_t left = ordering_brackets(&ordering, event) & occurred; left; left &= left - 1) {
    const struct order_thread *t = emitter[__builtin_ctzll(left)];
    if (t && order_thread_may_block(t))
      return true;
  }
  return false;
}

/* ---- when it cannot be kept ---- */

/* Of all that are held, and of those that are blocked meanwhile. */
static size_t report_threads(char *out, size_t size)
{
  size_t n = 0;
  for (unsigned i = 0; i < order_thread_count(); i++) {
    const struct order_thread *t = order_thread(i);
    unsigned held = __atomic_load_n(&t->held, __ATOMIC_RELAXED);
    const char *call = __atomic_load_n(&t->waits_in, __ATOMIC_RELAXED);
    if (held) {
      char event[ORDERING_NAME + ORDERING_THREAD];
      ordering_event_text(&ordering, held - 1, event, sizeof event);
      n += print_text(out + n, size - n, "  %s is held before %s: it waits for ", name_of(t), event);
      n += unmet_text(held - 1, out + n, size - n);
      n += print_text(out + n, size - n, "\n");
    } else if (call && !__atomic_load_n(&t->ended, __ATOMIC_RELAXED)) {
      n += print_text(out + n, size - n, "  %s is blocked in %s()\n", name_of(t), call);
    }
  }
  return n;
}

/* With the lock. */
static void report(const char *what, const char *why)
{
  char text[4096];
  size_t n = print_text(text, sizeof text, "heddle: %s %s %s\n", what, ordering.name, why);
  n += report_threads(text + n, sizeof text - n);
  order_say(text, n);
}

static _Noreturn void give_up(const char *why)
{
  report("schedule", why);
  _exit(1);
}

/* ---- pinned bugs ---- */

enum held order_held(void)
{
  enum held found = HELD_NONE;
  order_lock(&lock);
  for (unsigned i = 0; i < order_thread_count() && found != HELD_CAN_GO_ON; i++) {
    unsigned event = __atomic_load_n(&order_thread(i)->held, __ATOMIC_RELAXED);
    if (event)
      found = may_happen(event - 1) ? HELD_CAN_GO_ON : HELD_SOME;
  }
  order_unlock(&lock);
  return found;
}

void order_release(const char *why)
{
  order_lock(&lock);
  report("pin", why);
  released = true;
  order_unlock(&lock);
  order_look_again();
}

void order_fail(const char *why)
{
  order_lock(&lock);
  report("pin", why);
  _exit(1);
}

static void report_violation(unsigned event, const struct ordering_rule *rule, struct ordering_moment at)
{
  char text[1024];
  size_t n = print_text(text, sizeof text, "heddle: schedule %s is not kept: ", ordering.name);
  n += ordering_rule_text(&ordering, rule, text + n, sizeof text - n);
  n += print_text(text + n, sizeof text - n, "; %s came to it before ", name_of(order_self()));
  n += ordering_unmet_text(&ordering, event, at, text + n, sizeof text - n);
  n += print_text(text + n, sizeof text - n, "\n");
  order_say(text, n);
}

/* ---- events ---- */

/* Whether the conditions can never hold, however many events are still to come: some thread that must be blocked has
 * ended. */
static bool is_impossible(unsigned event)
{
  struct ordering_moment last = {UINT64_MAX, UINT64_MAX};
  for (uint64_t left = ordering_brackets(&ordering, event) & occurred; left; left &= left - 1) {
    unsigned asked = (unsigned)__builtin_ctzll(left);
    if (emitter[asked] && __atomic_load_n(&emitter[asked]->ended, __ATOMIC_ACQUIRE))
      last.blocked &= ~ORDERING_BIT(asked);
  }
  return !ordering_admits(&ordering, event, last);
}

/* Sleeps until something changes, without the lock. Whether nobody could go on all the time. */
static bool wait_for_change(unsigned event, unsigned *standstills)
{
  uint32_t seen = __atomic_load_n(&changes, __ATOMIC_SEQ_CST);
  bool settling = is_settling(event);
  order_unlock(&lock);
  order_wait_for_look(seen, settling ? SETTLING : PATIENCE);
  bool stands =
      !ordering.pinned && !settling && __atomic_load_n(&changes, __ATOMIC_SEQ_CST) == seen && order_all_stand();
  *standstills = stands ? *standstills + 1 : 0;
  order_lock(&lock);
  return *standstills >= STANDSTILLS;
}

static void hold(unsigned event, struct order_thread *self)
{
  unsigned standstills = 0;
  while (!released && !may_happen(event)) {
    if (self)
      __atomic_store_n(&self->held, event + 1, __ATOMIC_RELAXED);
    if (!ordering.pinned && is_impossible(event))
      give_up("cannot be followed: a thread that was to be blocked has ended");
    if (wait_for_change(event, &standstills) && !may_happen(event))
      give_up("cannot be followed: nobody can go on");
  }
  if (self)
    __atomic_store_n(&self->held, 0, __ATOMIC_RELAXED);
}

/* Once it cannot be kept any more. */
static void check_formula(unsigned event)
{
  char text[1024];
  if (!formula_may_hold(&ordering, &past) || may_happen(event))
    return;
  size_t n = print_text(text, sizeof text, "heddle: schedule %s is not kept: %s came to %s, and too early for ",
                        ordering.name, name_of(order_self()), ordering.event[event].name);
  n += unmet_text(event, text + n, sizeof text - n);
  order_say(text, n + print_text(text + n, sizeof text - n, "\n"));
}

static void check(unsigned event)
{
  struct ordering_moment at = moment(event);
  for (unsigned i = 0; i < ordering.rules; i++)
    if (ordering.rule[i].event == event && !ordering_rule_holds(&ordering, &ordering.rule[i], at))
      report_violation(event, &ordering.rule[i], at);
}

void order_arrive(enum ordering_event_kind kind, const char *name)
{
  enum keeping mode = order_how();
  if (mode == KEEPING_NOTHING)
    return;
  struct order_thread *self = order_self();
  unsigned event = ordering_event_of(&ordering, kind, name, self ? self->name : NULL);
  if (!event && self)
    event = ordering_event_of(&ordering, kind, name, self->path);
  if (!event)
    return;
  event--;
  int error = errno;
  order_lock(&lock);
  if (occurred & ORDERING_BIT(event)) {
    repeated |= ORDERING_BIT(event);
  } else {
    if (mode == KEEPING_ACTIVE)
      hold(event, self);
    else if (ordering.is_formula)
      check_formula(event);
    else
      check(event);
    if (ordering.is_formula)
      formula_go_on(&ordering, &past, instant(event));
    emitter[event] = self;
    occurred |= ORDERING_BIT(event);
  }
  order_unlock(&lock);
  order_look_again();
  errno = error;
}

static void report_events(uint64_t events, const char *what)
{
  for (uint64_t left = events; left; left &= left - 1) {
    char text[256], event[ORDERING_NAME + ORDERING_THREAD];
    ordering_event_text(&ordering, (unsigned)__builtin_ctzll(left), event, sizeof event);
    order_say(text, print_text(text, sizeof text, "heddle: schedule %s: %s %s\n", ordering.name, event, what));
  }
}

void order_end(void)
{
  if (!order_how() || ordering.pinned) /* what mends a bug may do away with events */
    return;
  uint64_t all = ordering.events < 64 ? ORDERING_BIT(ordering.events) - 1 : UINT64_MAX;
  for (unsigned i = 0; i < ordering.events; i++) /* the end itself is none that could be missed */
    if (ordering.event[i].kind == ORDERING_END && text_compare(ordering.event[i].thread, "main") == 0)
      all &= ~ORDERING_BIT(i);
  order_lock(&lock);
  report_events(all & ~occurred, "never happened; is it spelt as in the test?");
  report_events(repeated, "happened more than once; only the first time counts");
  const bool kept = !ordering.is_formula || past.holds;
  order_unlock(&lock);
  if (kept)
    return;
  char text[256];
  order_say(text, print_text(text, sizeof text, "heddle: schedule %s is not kept: it does not hold at the end\n",
                             ordering.name));
  if (order_how() == KEEPING_ACTIVE)
    _exit(1);
}
