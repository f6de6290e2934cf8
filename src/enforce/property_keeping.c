/* SPDX-License-Identifier: Apache-2.0
 *
 * Keeping properties in a free run; see property_keeping.h.
 */
#include "enforce/property_keeping.h"
#include "core/without_libc.h"
#include "enforce/order_lock.h"
#include "enforce/order_threads.h"
#include "enforce/property_calls.h"
#include "enforce/property_choices.h"
#include "enforce/property_handlers.h"
#include "enforce/property_parts.h"
#include "enforce/property_signals.h"
#include <errno.h>

static const struct property_set *set;
static enum keeping how;
static bool asks;                /* some event asks who is blocked */
static bool handles[PROPERTIES]; /* something is called when an event was read */

static __thread bool inside __attribute__((tls_model("initial-exec")));
static __thread struct property_hold hold __attribute__((tls_model("initial-exec")));
static uint64_t read_by_others /* than those with a place */, holds[PROPERTIES], lost[PROPERTIES];

enum keeping property_how(void)
{
  return __atomic_load_n(&how, __ATOMIC_RELAXED);
}

const struct property_set *properties_kept(void)
{
  return set;
}

uint64_t property_progress(void)
{
  uint64_t all = __atomic_load_n(&read_by_others, __ATOMIC_RELAXED);
  for (unsigned i = 0; i < order_thread_count(); i++)
    all += __atomic_load_n(&order_thread(i)->read, __ATOMIC_RELAXED);
  return all;
}

bool property_enter(void)
{
  bool before = inside;
  inside = true;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  return before;
}

void property_leave(bool before)
{
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  inside = before;
}

bool property_is_inside(void)
{
  return inside;
}

bool property_keep(const struct property_set *kept, enum keeping mode)
{
  set = kept;
  if (!property_rules_begin(set) || !property_parts_begin(set))
    return false;
  for (uint32_t p = 0; p < set->properties; p++)
    handles[p] = property_has_handler(p);
  for (uint32_t r = 0; r < set->rules; r++)
    asks |= set->rule[r].waits;
  if (asks)
    order_ask();
  order_watch_threads();
  __atomic_store_n(&how, mode, __ATOMIC_RELEASE);
  return true;
}

/* ---- what happens at once ---- */

/* At most one event of each property; all of them are read, or none. */
struct at_once {
  unsigned count;
  struct part_event event[READINGS_MOST];
  unsigned locks;
  struct part_lock *lock[READINGS_MOST]; /* by address, each once */
};

/* Why an event is not let through, and what would have to change. */
struct obstacle {
  const struct property_reading *reading;
  struct property_part *part;
  uint32_t since; /* changes of the part */
  uint32_t looks;
  bool asked;                     /* somebody was to be blocked and is not */
  const struct order_thread *who; /* NULL: it is not known yet */
};

static void add_lock(struct at_once *a, struct part_lock *lock)
{
  unsigned at = a->locks;
  while (at && a->lock[at - 1] > lock)
    at--;
  if (at && a->lock[at - 1] == lock)
    return;
  for (unsigned i = a->locks++; i > at; i--)
    a->lock[i] = a->lock[i - 1];
  a->lock[at] = lock;
}

static void add_at_once(struct at_once *a, const struct property_reading *reading)
{
  struct part_event *e = &a->event[a->count++];
  property_part_event(e, reading);
  add_lock(a, e->part->lock);
}

static void lock_all(const struct at_once *a)
{
  for (unsigned i = 0; i < a->locks; i++)
    order_lock(&a->lock[i]->word);
}

static void unlock_all(const struct at_once *a)
{
  for (unsigned i = a->locks; i--;)
    order_unlock(&a->lock[i]->word);
}

static bool is_blocked(const void *self, const char *name, int64_t number)
{
  struct obstacle *o = (struct obstacle *)self;
  unsigned count = order_thread_count();
  o->who = name[0]                                   ? order_thread_named(name)
           : number > 0 && (uint64_t)number <= count ? order_thread((unsigned)number - 1)
                                                     : NULL;
  o->asked = !o->who || !order_thread_is_blocked(o->who);
  return !o->asked;
}

static void wait_on(struct obstacle *o, const struct part_event *e)
{
  o->reading = e->reading;
  o->part = e->part;
  o->since = __atomic_load_n(&e->part->changes, __ATOMIC_SEQ_CST);
}

/* With the locks. */
static bool is_admitted(struct at_once *a, struct obstacle *o)
{
  if (asks)
    *o = (struct obstacle){.looks = order_looks()};
  const struct property_threads threads = {is_blocked, o};
  for (unsigned i = 0; i < a->count; i++) {
    struct part_event *e = &a->event[i];
    if (e->rule->is_enforced && !property_part_admits(e, &threads)) {
      wait_on(o, e);
      return false;
    }
  }
  return true;
}

/* Without the locks. */
static void wait_for(const struct obstacle *o, struct order_thread *self, bool by_choice)
{
  hold = (struct property_hold){*o->reading, by_choice};
  if (self)
    __atomic_store_n(&self->hold, &hold, __ATOMIC_RELEASE);
  property_leave(false); /* a signal may come meanwhile, and its handler have events */
  if (o->asked)
    order_wait_for_look(o->looks, o->who && order_thread_may_block(o->who) ? SETTLING : WITHOUT_END);
  else
    property_part_wait(o->part, o->since);
  property_enter();
  if (self)
    __atomic_store_n(&self->hold, NULL, __ATOMIC_RELEASE);
}

static void count_hold(const struct obstacle *o, struct order_thread *self)
{
  __atomic_add_fetch(&holds[set->rule[o->reading->rule].property], 1, __ATOMIC_RELAXED);
  if (self)
    __atomic_store_n(&self->holds, self->holds + 1, __ATOMIC_RELAXED);
}

static void tell_not_held(const struct property_reading *reading)
{
  static uint32_t told;
  char text[300];
  if (__atomic_exchange_n(&told, 1, __ATOMIC_RELAXED))
    return;
  size_t n = print_text(text, sizeof text, "heddle: a thread cannot be held in the handler of a signal, before ");
  n += property_reading_text(reading, text + n, sizeof text - n);
  n += print_text(text + n, sizeof text - n, ": it goes on, and the property does not see what the handler does\n");
  order_say(text, n);
}

/* Who is in a handler of a signal goes on, and the property does not read it. */
static bool cannot_be_held(struct at_once *a, const struct obstacle *o)
{
  if (!property_signal())
    return false;
  unsigned at = 0;
  while (a->event[at].reading != o->reading)
    at++;
  tell_not_held(o->reading);
  property_signal_leave_out(a->event[at].rule->property);
  a->event[at] = a->event[--a->count];
  return true;
}

/* Returns with the locks, when the events may be read. */
static void lock_admitted(struct at_once *a, struct order_thread *self)
{
  struct obstacle o = {0};
  bool first = true;
  for (lock_all(a); property_how() == KEEPING_ACTIVE; lock_all(a)) {
    bool admitted = is_admitted(a, &o);
    while (!admitted && cannot_be_held(a, &o))
      admitted = is_admitted(a, &o);
    bool by_choice = admitted && a->count && choice_holds(a->event[0].reading, self);
    if (admitted && !by_choice)
      return;
    if (by_choice)
      wait_on(&o, &a->event[0]);
    unlock_all(a);
    if (first)
      count_hold(&o, self);
    first = false;
    wait_for(&o, self, by_choice);
  }
}

static void tell_loss(uint32_t property)
{
  char text[200];
  if (__atomic_exchange_n(&lost[property], 1, __ATOMIC_RELAXED))
    return;
  order_say(text, print_text(text, sizeof text,
                             "heddle: %s: there are more objects, or longer traces, than its monitors can follow; "
                             "not all is seen from now on\n",
                             set->property[property].name));
}

/* Without any lock: whether the events change no monitor, and leave no property. If so, all at one moment: no cell was
 * changed while they were looked at. */
static bool are_left_alone(const struct at_once *a)
{
  uint32_t version[READINGS_MOST];
  for (unsigned i = 0; i < a->count; i++)
    if (!a->event[i].rule->loops || (version[i] = cells_version(a->event[i].part->cells)) & 1)
      return false;
  for (unsigned i = 0; i < a->count; i++)
    if (!cells_are_left_alone(a->event[i].part->cells, &a->event[i].cell))
      return false;
  for (unsigned i = 0; i < a->count; i++)
    if (version[i] != cells_version(a->event[i].part->cells))
      return false;
  return true;
}

/* All of them, atomically. */
static void read_locked(struct at_once *a, struct order_thread *self, unsigned *outcome)
{
  lock_admitted(a, self);
  for (unsigned i = 0; i < a->count; i++) {
    outcome[i] = property_part_read(&a->event[i]);
    choice_read(a->event[i].reading);
  }
  unlock_all(a);
  for (unsigned i = 0; i < a->count; i++)
    property_part_wake(a->event[i].part);
  if (asks)
    order_look_again();
}

static void count_read(struct order_thread *self)
{
  if (self)
    __atomic_store_n(&self->read, self->read + 1, __ATOMIC_RELAXED);
  else
    __atomic_add_fetch(&read_by_others, 1, __ATOMIC_RELAXED);
}

/* And then the handlers, without any lock. */
static void read_at_once(struct at_once *a, struct order_thread *self)
{
  unsigned outcome[READINGS_MOST];
  const bool alone = !choices_are_made() && are_left_alone(a);
  if (!alone)
    read_locked(a, self, outcome);
  count_read(self);
  for (unsigned i = 0; i < a->count; i++) {
    const uint32_t property = a->event[i].rule->property;
    const bool violated = !alone && outcome[i] & CELLS_VIOLATED;
    if (!alone && outcome[i] & CELLS_LOST)
      tell_loss(property);
    if (violated || handles[property])
      property_handle(a->event[i].reading, violated);
  }
}

/* ---- events ---- */

/* What a handler of a signal does, less what could not be held there. */
static unsigned leave_out(struct property_reading *list, unsigned count)
{
  unsigned kept = 0;
  for (unsigned i = 0; i < count; i++)
    if (!property_signal_leaves_out(kept_rule(list[i].rule)->property))
      list[kept++] = list[i];
  return kept;
}

/* In the order of the rules: as many at once as are of different properties. */
static void read_all(struct property_reading *list, unsigned count, struct order_thread *self)
{
  for (unsigned i = 0; i < count;) {
    struct at_once a;
    a.count = a.locks = 0;
    uint64_t taken = 0;
    for (; i < count && !(taken >> kept_rule(list[i].rule)->property & 1); i++) {
      taken |= UINT64_C(1) << kept_rule(list[i].rule)->property;
      add_at_once(&a, &list[i]);
    }
    read_at_once(&a, self);
  }
}

/* A signal came while the thread was in this library, perhaps with a lock: what its handler does cannot be seen. */
static void tell_unseen(void)
{
  static uint32_t told;
  char text[160];
  if (!property_how() || !property_signal() || __atomic_exchange_n(&told, 1, __ATOMIC_RELAXED))
    return;
  order_say(text, print_text(text, sizeof text,
                             "heddle: a signal came where events are looked at; those of its handler are not seen\n"));
}

void property_happens(struct property_happening *h)
{
  if (!property_how() || inside) {
    tell_unseen();
    return;
  }
  struct property_reading list[READINGS_MOST];
  struct order_thread *self = order_self();
  int error = errno;
  bool before = property_enter();
  h->thread = order_thread_number(self);
  h->thread_name = self ? self->name : "";
  h->signal = property_signal();
  unsigned count = property_rules_read(h, list);
  if (h->signal)
    count = leave_out(list, count);
  if (count)
    read_all(list, count, self);
  property_leave(before);
  errno = error;
}

void property_thread_starts(void)
{
  property_happens(&(struct property_happening){.source = EVENT_OF_START});
}

void property_thread_ends(void)
{
  property_calls_end();
  property_happens(&(struct property_happening){.source = EVENT_OF_END});
}

void property_freed(uintptr_t addr, size_t size)
{
  if (!property_how() || inside)
    return;
  int error = errno;
  bool before = property_enter();
  property_forget(addr, size);
  property_leave(before);
  errno = error;
}

/* ---- words ---- */

size_t property_reading_text(const struct property_reading *reading, char *out, size_t size)
{
  const struct property_rule *rule = &set->rule[reading->rule];
  const struct property *p = &set->property[rule->property];
  size_t n = print_text(out, size, "%s of %s", p->event[rule->event].name, p->name);
  const char *between = "(";
  for (unsigned v = 0; v < rule->carried; v++) {
    uint8_t parameter = rule->value[v].parameter;
    if (parameter >= PROPERTY_PARAMETERS)
      continue;
    bool pointer = p->pointers >> parameter & 1;
    n += print_text(out + n, size - n, "%s%s = ", between, p->parameter[parameter]);
    n += pointer ? print_text(out + n, size - n, "0x%lx", (unsigned long)reading->value[v])
                 : print_text(out + n, size - n, "%ld", (long)reading->value[v]);
    between = ", ";
  }
  if (between[0] == ',')
    n += print_text(out + n, size - n, ")");
  return n;
}

size_t property_states_text(const struct property_reading *reading, char *out, size_t size)
{
  struct part_event e;
  property_part_event(&e, reading);
  order_lock(&e.part->lock->word);
  size_t n = property_part_text(&e, out, size);
  order_unlock(&e.part->lock->word);
  return n;
}

bool property_is_hopeless(const struct property_reading *reading, uint64_t coming)
{
  struct part_event e;
  property_part_event(&e, reading);
  order_lock(&e.part->lock->word);
  bool hopeless = property_part_never_admits(&e, coming);
  order_unlock(&e.part->lock->word);
  return hopeless;
}

void property_end(void)
{
  char text[256], name[64];
  if (!property_how())
    return;
  order_say(text, print_text(text, sizeof text, "heddle: %lu event%s\n", (unsigned long)property_progress(),
                             property_progress() == 1 ? "" : "s"));
  for (uint32_t p = 0; p < set->properties; p++)
    order_say(text, print_text(text, sizeof text, "heddle: %s held threads %lu times\n", set->property[p].name,
                               (unsigned long)__atomic_load_n(&holds[p], __ATOMIC_RELAXED)));
  for (unsigned i = 0; i < order_thread_count(); i++) {
    const struct order_thread *t = order_thread(i);
    order_say(text,
              print_text(text, sizeof text, "heddle: %s was held %lu times\n", order_thread_text(t, name, sizeof name),
                         (unsigned long)__atomic_load_n(&t->holds, __ATOMIC_RELAXED)));
  }
}
