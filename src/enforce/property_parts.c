/* SPDX-License-Identifier: Apache-2.0
 *
 * Parts of the monitors; see property_parts.h.
 *
 * Blocks of memory are given back all the time, and few are known to monitors: whether one may be is told by bits for
 * lines and pages of memory. Bits are set where a monitor reads an address, with the lock of its part; when too many
 * blocks were looked for in vain, they are made anew from what monitors know, in a second table, which takes the place
 * of the first. While that is made, both get the bits of what is read.
 */
#include "enforce/property_parts.h"
#include "core/without_libc.h"
#include "enforce/order_lock.h"
#include "enforce/property_prospect.h"
#include <stddef.h>
#include <sys/mman.h>

#define LINE_BITS 6
#define PAGE_BITS 12
#define TABLE_BITS 17
#define LOOKS_IN_VAIN 64
#define LINES_MOST 32  /* of a block, to be looked at one by one */
#define PAGES_MOST 256 /* likewise; what is larger is always looked for */

static const struct property_set *set;
static struct property_part *parts; /* those with the same number of all properties beside each other */
static uint32_t part_count[PROPERTIES];
static struct part_lock locks[PROPERTY_PARTS], own_lock[PROPERTIES];

/* ---- which part ---- */

static struct property_part *part_at(uint32_t property, uint32_t number)
{
  return &parts[number * set->properties + property];
}

static void *map(size_t bytes)
{
  void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return memory == MAP_FAILED ? NULL : memory;
}

/* Memory that is not used costs nothing. */
static bool make_parts(uint32_t property, bool divided)
{
  const bool small = property_has_cells(set, property);
  part_count[property] = divided ? PROPERTY_PARTS : 1;
  char *monitors =
      map(part_count[property] * (small ? sizeof(struct property_cells) : sizeof(struct property_instances)));
  for (uint32_t i = 0; monitors && i < part_count[property]; i++) {
    struct property_part *part = part_at(property, i);
    part->lock = divided ? &locks[i] : &own_lock[property];
    part->property = property;
    if (small)
      part->cells = (struct property_cells *)monitors + i;
    else
      part->monitors = (struct property_instances *)monitors + i;
  }
  return monitors;
}

bool property_parts_begin(const struct property_set *kept)
{
  bool divided[PROPERTIES] = {false};
  set = kept;
  parts = map((size_t)PROPERTY_PARTS * set->properties * sizeof *parts);
  for (uint32_t r = 0; r < set->rules; r++)
    divided[set->rule[r].property] = kept_rule(r)->divider >= 0;
  for (uint32_t p = 0; parts && p < set->properties; p++)
    if (!make_parts(p, divided[p]))
      return false;
  return parts;
}

static uint32_t hash(uint64_t value)
{
  return (uint32_t)((value * UINT64_C(0x9e3779b97f4a7c15)) >> 32);
}

static struct property_part *part_of(const struct kept_rule *rule, const struct property_reading *reading)
{
  uint32_t number = rule->divider < 0 ? 0 : hash((uint64_t)reading->value[rule->divider]) >> 26;
  return part_at(rule->property, number);
}
_Static_assert(PROPERTY_PARTS == 1 << (32 - 26), "a part for each value of the highest bits");

struct property_part *property_part_of(const struct property_reading *reading)
{
  return part_of(kept_rule(reading->rule), reading);
}

/* ---- reading ---- */

static void note_addresses(const struct property_reading *reading);

/* The monitors at their start, if they are used for the first time. */
static struct property_instances *monitors_of(struct property_part *part)
{
  if (!part->begun) {
    property_instances_begin(part->monitors, set);
    property_instances_keep(part->monitors, part->property);
    __atomic_store_n(&part->begun, 1, __ATOMIC_RELAXED);
  }
  return part->monitors;
}

void property_part_event(struct part_event *e, const struct property_reading *reading)
{
  e->rule = kept_rule(reading->rule);
  e->reading = reading;
  e->part = part_of(e->rule, reading);
  cell_event_begin(&e->cell, e->rule, reading);
}

bool property_part_admits(struct part_event *e, const struct property_threads *threads)
{
  return e->part->cells ? cells_admit(e->part->cells, &e->cell)
                        : property_instances_admit(monitors_of(e->part), e->reading, threads);
}

unsigned property_part_read(struct part_event *e)
{
  struct property_part *part = e->part;
  /* Giving back the lock is what lets others see it before we look for sleepers. */
  __atomic_store_n(&part->changes, part->changes + 1, __ATOMIC_RELAXED);
  if (part->cells) {
    unsigned outcome = cells_read(part->cells, &e->cell);
    if (outcome & CELLS_NEW)
      note_addresses(e->reading);
    return outcome;
  }
  note_addresses(e->reading);
  const struct property_outcome outcome = property_instances_read(monitors_of(part), e->reading);
  return (outcome.violated ? CELLS_VIOLATED : 0) | (outcome.lost ? CELLS_LOST : 0);
}

void property_part_wake(struct property_part *part)
{
  if (__atomic_load_n(&part->sleepers, __ATOMIC_SEQ_CST))
    order_wake(&part->changes);
}

void property_part_changed(struct property_part *part)
{
  __atomic_add_fetch(&part->changes, 1, __ATOMIC_SEQ_CST);
  property_part_wake(part);
}

void property_part_wait(struct property_part *part, uint32_t since)
{
  __atomic_add_fetch(&part->sleepers, 1, __ATOMIC_SEQ_CST);
  order_sleep(&part->changes, since, WITHOUT_END);
  __atomic_sub_fetch(&part->sleepers, 1, __ATOMIC_SEQ_CST);
}

/* ---- words ---- */

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

static size_t state_text(uint32_t property, uint32_t state, const char *between, char *out, size_t size)
{
  const struct property_monitor *m = &set->property[property].monitor;
  uint32_t named = m->kind == MONITOR_TABLE ? set->state_name[m->state_name + state] : 0;
  return named ? print_text(out, size, "%s%s", between, &set->name[named])
               : print_text(out, size, "%s%u", between, state);
}

size_t property_part_text(struct part_event *e, char *out, size_t size)
{
  const struct property_part *part = e->part;
  const char *between = " in state ";
  uint16_t state;
  size_t n = 0;
  out[0] = 0;
  if (part->cells)
    return cells_state(part->cells, &e->cell, &state) ? state_text(part->property, state, between, out, size) : 0;
  for (uint32_t i = 0; i < part->monitors->count && n < size / 2; i++) {
    const struct property_instance *x = &part->monitors->instance[i];
    if (!is_concerned(x, e->reading))
      continue;
    n += state_text(part->property, x->state, between, out + n, size - n);
    n += print_text(out + n, size - n, " after %u event%s", x->readings, x->readings == 1 ? "" : "s");
    between = ", ";
  }
  return n;
}

bool property_part_never_admits(struct part_event *e, uint64_t coming)
{
  const struct property_part *part = e->part;
  const struct property_rule *rule = &set->rule[e->reading->rule];
  uint16_t state = 0; /* of a monitor that has read nothing yet */
  if (!property_moves_by_events(set, rule))
    return false;
  if (part->cells)
    return (cells_state(part->cells, &e->cell, &state) || e->cell.rule->creates) &&
           !property_may_be_allowed(set, part->property, state, rule->event, coming);
  for (uint32_t i = 0; i < part->monitors->count; i++) {
    const struct property_instance *x = &part->monitors->instance[i];
    if (is_concerned(x, e->reading) && !property_may_be_allowed(set, part->property, x->state, rule->event, coming))
      return true;
  }
  return false;
}

/* ---- addresses ---- */

struct address_table {
  uint64_t line[1 << (TABLE_BITS - 6)], page[1 << (TABLE_BITS - 6)];
};

static struct address_table tables[2];
static uint32_t current, in_vain;
static uint32_t renewing; /* a lock */

static void set_bit(uint64_t *bits, uint64_t number)
{
  uint32_t at = hash(number) >> (32 - TABLE_BITS);
  uint64_t bit = UINT64_C(1) << (at & 63);
  if (!(__atomic_load_n(&bits[at >> 6], __ATOMIC_RELAXED) & bit))
    __atomic_or_fetch(&bits[at >> 6], bit, __ATOMIC_RELAXED);
}

static bool has_bit(const uint64_t *bits, uint64_t number)
{
  uint32_t at = hash(number) >> (32 - TABLE_BITS);
  return __atomic_load_n(&bits[at >> 6], __ATOMIC_RELAXED) >> (at & 63) & 1;
}

static void note_address(struct address_table *t, uint64_t addr)
{
  set_bit(t->line, addr >> LINE_BITS);
  set_bit(t->page, addr >> PAGE_BITS);
}

static void note_addresses(const struct property_reading *reading)
{
  const struct property_rule *rule = &set->rule[reading->rule];
  uint32_t pointers = set->property[rule->property].pointers;
  for (unsigned v = 0; v < rule->carried; v++)
    if (rule->value[v].parameter < PROPERTY_PARAMETERS && pointers >> rule->value[v].parameter & 1)
      for (unsigned t = 0; t < 2; t++)
        note_address(&tables[t], (uint64_t)reading->value[v]);
}

static bool has_some(const uint64_t *bits, unsigned shift, uintptr_t addr, size_t size)
{
  for (uintptr_t n = addr >> shift; n <= (addr + size - 1) >> shift; n++)
    if (has_bit(bits, n))
      return true;
  return false;
}

static bool may_be_known(uintptr_t addr, size_t size)
{
  const struct address_table *t = &tables[__atomic_load_n(&current, __ATOMIC_ACQUIRE)];
  if (size <= (LINES_MOST << LINE_BITS))
    return has_some(t->line, LINE_BITS, addr, size);
  return size > ((size_t)PAGES_MOST << PAGE_BITS) || has_some(t->page, PAGE_BITS, addr, size);
}

static void note_cells(struct address_table *t, const struct property_part *part)
{
  uint32_t pointers = set->property[part->property].pointers;
  for (uint32_t i = 0; i < part->cells->count; i++)
    for (unsigned k = 0; k < CELL_KEYS; k++)
      if (pointers >> k & 1)
        note_address(t, (uint64_t)part->cells->cell[i].key[k]);
}

static void note_known(struct address_table *t, const struct property_instances *monitors)
{
  for (uint32_t i = 0; i < monitors->count; i++) {
    const struct property_instance *x = &monitors->instance[i];
    uint32_t pointers = x->used ? set->property[x->property].pointers & x->bound & ~x->gone : 0;
    for (unsigned p = 0; p < PROPERTY_PARAMETERS; p++)
      if (pointers >> p & 1)
        note_address(t, (uint64_t)x->value[p]);
  }
}

typedef void part_visitor(struct property_part *part, void *context);

static bool is_used(const struct property_part *part)
{
  return __atomic_load_n(part->cells ? &part->cells->count : &part->begun, __ATOMIC_RELAXED);
}

/* Every part that is used, locked. */
static void each_part(part_visitor *visit, void *context)
{
  for (uint32_t p = 0; p < set->properties; p++)
    for (uint32_t i = 0; set->property[p].pointers && i < part_count[p]; i++) {
      struct property_part *part = part_at(p, i);
      if (!is_used(part))
        continue;
      order_lock(&part->lock->word);
      visit(part, context);
      order_unlock(&part->lock->word);
    }
}

static void visit_known(struct property_part *part, void *table)
{
  if (part->cells)
    note_cells(table, part);
  else
    note_known(table, part->monitors);
}

static void renew_table(void)
{
  order_lock(&renewing);
  struct address_table *t = &tables[!current];
  for (size_t i = 0; i < sizeof t->line / sizeof *t->line; i++) {
    __atomic_store_n(&t->line[i], 0, __ATOMIC_RELAXED);
    __atomic_store_n(&t->page[i], 0, __ATOMIC_RELAXED);
  }
  each_part(visit_known, t);
  __atomic_store_n(&current, !current, __ATOMIC_RELEASE);
  order_unlock(&renewing);
}

struct forgetting {
  uintptr_t addr;
  size_t size;
  bool found;
};

static bool knows(const struct property_instances *monitors, const struct forgetting *f)
{
  for (uint32_t i = 0; i < monitors->count; i++) {
    const struct property_instance *x = &monitors->instance[i];
    uint32_t pointers = x->used ? set->property[x->property].pointers & x->bound & ~x->gone : 0;
    for (unsigned p = 0; p < PROPERTY_PARAMETERS; p++)
      if (pointers >> p & 1 && (uintptr_t)x->value[p] - f->addr < f->size)
        return true;
  }
  return false;
}

/* Whether the part knew something there. */
static bool forget_in(struct property_part *part, const struct forgetting *f)
{
  if (part->cells)
    return cells_forget(part->cells, set->property[part->property].pointers, f->addr, f->size);
  if (!knows(part->monitors, f))
    return false;
  property_instances_renew(part->monitors, f->addr, f->size);
  return true;
}

static void visit_forgotten(struct property_part *part, void *context)
{
  struct forgetting *f = context;
  if (!forget_in(part, f))
    return;
  f->found = true;
  property_part_changed(part);
}

void property_forget(uintptr_t addr, size_t size)
{
  struct forgetting f = {addr, size, false};
  if (!size || !may_be_known(addr, size))
    return;
  each_part(visit_forgotten, &f);
  if (!f.found && __atomic_add_fetch(&in_vain, 1, __ATOMIC_RELAXED) % LOOKS_IN_VAIN == 0)
    renew_table();
}
