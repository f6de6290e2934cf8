/* SPDX-License-Identifier: Apache-2.0
 *
 * Keeping properties in a free run; see property_keeping.h.
 */
#include "enforce/property_keeping.h"
#include "core/config.h"
#include "core/without_libc.h"
#include "enforce/order_lock.h"
#include "enforce/order_threads.h"
#include "enforce/property_calls.h"
#include "enforce/property_choices.h"
#include "enforce/property_handlers.h"
#include "enforce/property_parts.h"
#include <errno.h>

#define READINGS_MOST 32                   /* events that one thing that happens can be */
#define FUNCTIONS_MOST (WATCHED_CALLS + 1) /* they are numbered from 1 */

static const struct property_set *set;
static enum keeping how;
static bool asks; /* some event asks who is blocked */

/* Rules of calls, by function and whether it has returned: where they begin in the list. */
static uint16_t call_rule[PROPERTY_RULES];
static uint16_t call_rules[FUNCTIONS_MOST][2][2];

static __thread bool inside __attribute__((tls_model("initial-exec")));
static __thread struct property_hold hold __attribute__((tls_model("initial-exec")));
static uint64_t progress, holds[PROPERTIES], lost[PROPERTIES];

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
  return __atomic_load_n(&progress, __ATOMIC_RELAXED);
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

static void index_rules(void)
{
  uint16_t count = 0;
  for (uint32_t f = 0; f < FUNCTIONS_MOST; f++)
    for (unsigned after = 0; after < 2; after++) {
      call_rules[f][after][0] = count;
      for (uint32_t r = 0; r < set->rules; r++)
        if (set->rule[r].source == EVENT_OF_CALL && set->rule[r].function == f && set->rule[r].after == after)
          call_rule[count++] = (uint16_t)r;
      call_rules[f][after][1] = count;
    }
}

bool property_keep(const struct property_set *kept, enum keeping mode)
{
  set = kept;
  if (!property_parts_begin(set))
    return false;
  index_rules();
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
  struct property_reading *reading[READINGS_MOST];
  struct property_part *part[READINGS_MOST]; /* of each */
  struct property_part *lock[READINGS_MOST]; /* by address */
  uint32_t locked[READINGS_MOST];            /* whose property */
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

static bool is_enforced(const struct property_reading *reading)
{
  return set->property[set->rule[reading->rule].property].enforced;
}

static void add_at_once(struct at_once *a, struct property_reading *reading)
{
  struct property_part *part = property_part_of(reading);
  unsigned at = a->count;
  for (; at && a->lock[at - 1] > part; at--) {
    a->lock[at] = a->lock[at - 1];
    a->locked[at] = a->locked[at - 1];
  }
  a->lock[at] = part;
  a->locked[at] = set->rule[reading->rule].property;
  a->reading[a->count] = reading;
  a->part[a->count++] = part;
}

static void lock_all(const struct at_once *a)
{
  for (unsigned i = 0; i < a->count; i++)
    property_part_lock(a->lock[i], a->locked[i]);
}

static void unlock_all(const struct at_once *a)
{
  for (unsigned i = a->count; i--;)
    property_part_unlock(a->lock[i]);
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

/* With the locks. */
static bool is_admitted(const struct at_once *a, struct obstacle *o)
{
  *o = (struct obstacle){.looks = order_looks()};
  const struct property_threads threads = {is_blocked, o};
  for (unsigned i = 0; i < a->count; i++) {
    if (!is_enforced(a->reading[i]) || property_instances_admit(&a->part[i]->monitors, a->reading[i], &threads))
      continue;
    o->reading = a->reading[i];
    o->part = a->part[i];
    o->since = __atomic_load_n(&o->part->changes, __ATOMIC_SEQ_CST);
    return false;
  }
  return true;
}

/* Without the locks. */
static void wait_for(const struct obstacle *o, struct order_thread *self, bool by_choice)
{
  hold = (struct property_hold){*o->reading, by_choice};
  if (self)
    __atomic_store_n(&self->hold, &hold, __ATOMIC_RELEASE);
  if (o->asked)
    order_wait_for_look(o->looks, o->who && order_thread_may_block(o->who) ? SETTLING : WITHOUT_END);
  else
    property_part_wait(o->part, o->since);
  if (self)
    __atomic_store_n(&self->hold, NULL, __ATOMIC_RELEASE);
}

static void count_hold(const struct obstacle *o, struct order_thread *self)
{
  __atomic_add_fetch(&holds[set->rule[o->reading->rule].property], 1, __ATOMIC_RELAXED);
  if (self)
    __atomic_store_n(&self->holds, self->holds + 1, __ATOMIC_RELAXED);
}

/* Returns with the locks, when the events may be read. */
static void lock_admitted(const struct at_once *a, struct order_thread *self)
{
  struct obstacle o;
  bool first = true;
  for (lock_all(a); property_how() == KEEPING_ACTIVE; lock_all(a)) {
    bool admitted = is_admitted(a, &o);
    bool by_choice = admitted && choice_holds(a->reading[0], self);
    if (admitted && !by_choice)
      return;
    if (by_choice) {
      o.reading = a->reading[0];
      o.part = a->part[0];
      o.since = __atomic_load_n(&o.part->changes, __ATOMIC_SEQ_CST);
    }
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

/* All of them, atomically; then the handlers, without any lock. */
static void read_at_once(struct at_once *a, struct order_thread *self)
{
  bool violated[READINGS_MOST], lost_some[READINGS_MOST];
  lock_admitted(a, self);
  for (unsigned i = 0; i < a->count; i++) {
    property_note_addresses(a->reading[i]);
    const struct property_outcome outcome = property_instances_read(&a->part[i]->monitors, a->reading[i]);
    violated[i] = outcome.violated;
    lost_some[i] = outcome.lost;
    choice_read(a->reading[i]);
  }
  unlock_all(a);
  __atomic_add_fetch(&progress, 1, __ATOMIC_RELAXED);
  for (unsigned i = 0; i < a->count; i++)
    property_part_changed(a->part[i]);
  if (asks)
    order_look_again();
  for (unsigned i = 0; i < a->count; i++) {
    if (lost_some[i])
      tell_loss(set->rule[a->reading[i]->rule].property);
    property_handle(a->reading[i], violated[i]);
  }
}

/* ---- events ---- */

/* In the order of the rules: as many at once as are of different properties. */
static void read_all(struct property_reading *list, unsigned count, struct order_thread *self)
{
  for (unsigned i = 0; i < count;) {
    struct at_once a;
    a.count = 0;
    uint64_t taken = 0;
    for (; i < count && !(taken >> set->rule[list[i].rule].property & 1); i++) {
      taken |= UINT64_C(1) << set->rule[list[i].rule].property;
      add_at_once(&a, &list[i]);
    }
    read_at_once(&a, self);
  }
}

static unsigned collect(const struct property_happening *h, struct property_reading list[READINGS_MOST])
{
  unsigned count = 0;
  if (h->source == EVENT_OF_CALL) {
    const uint16_t *range = call_rules[h->function][h->after];
    for (unsigned i = range[0]; i < range[1] && count < READINGS_MOST; i++)
      count += property_happening_read(set, call_rule[i], h, &list[count]);
    return count;
  }
  for (uint32_t r = 0; r < set->rules && count < READINGS_MOST; r++)
    count += set->rule[r].source == h->source && property_happening_read(set, r, h, &list[count]);
  return count;
}

void property_happens(struct property_happening *h)
{
  if (!property_how() || inside)
    return;
  struct property_reading list[READINGS_MOST];
  struct order_thread *self = order_self();
  int error = errno;
  bool before = property_enter();
  h->thread = order_thread_number(self);
  h->thread_name = self ? self->name : "";
  unsigned count = collect(h, list);
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

static bool is_concerned(const struct property_instance *x, const struct property_reading *reading)
{
  const struct property_rule *rule = &set->rule[reading->rule];
  if (!x->used || x->property != rule->property)
    return false;
  for (unsigned v = 0; v < rule->carried; v++) {
    uint8_t parameter = rule->value[v].parameter;
    if (parameter < PROPERTY_PARAMETERS &&
        (!(x->bound & ~x->gone & 1 << parameter) || x->value[parameter] != reading->value[v]))
      return false;
  }
  return true;
}

size_t property_states_text(const struct property_reading *reading, char *out, size_t size)
{
  struct property_part *part = property_part_of(reading);
  const struct property_monitor *m = &set->property[set->rule[reading->rule].property].monitor;
  const char *between = " in state ";
  size_t n = 0;
  out[0] = 0;
  property_part_lock(part, set->rule[reading->rule].property);
  for (uint32_t i = 0; i < part->monitors.count && n < size / 2; i++) {
    const struct property_instance *x = &part->monitors.instance[i];
    if (!is_concerned(x, reading))
      continue;
    uint32_t named = m->kind == MONITOR_TABLE ? set->state_name[m->state_name + x->state] : 0;
    n += named ? print_text(out + n, size - n, "%s%s", between, &set->name[named])
               : print_text(out + n, size - n, "%s%u (after %u events)", between, x->state, x->readings);
    between = ", ";
  }
  property_part_unlock(part);
  return n;
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
