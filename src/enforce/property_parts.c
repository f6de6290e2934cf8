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
#include "enforce/order_lock.h"
#include <stddef.h>
#include <sys/mman.h>

#define LINE_BITS 6
#define PAGE_BITS 12
#define TABLE_BITS 17
#define LOOKS_IN_VAIN 64
#define LINES_MOST 32  /* of a block, to be looked at one by one */
#define PAGES_MOST 256 /* likewise; what is larger is always looked for */

static const struct property_set *set;
static struct property_part *parts[PROPERTIES]; /* of each property */
static uint32_t part_count[PROPERTIES];
static int divides_by[PROPERTIES]; /* the parameter; -1 for none */

/* ---- which part ---- */

/* A parameter that all events of the property bind, -1 if there is none. */
static int common_parameter(uint32_t property)
{
  uint32_t common = (1u << set->property[property].parameters) - 1;
  for (uint32_t r = 0; r < set->rules; r++) {
    uint32_t bound = 0;
    if (set->rule[r].property != property)
      continue;
    for (unsigned v = 0; v < set->rule[r].carried; v++)
      bound |= 1u << set->rule[r].value[v].parameter;
    common &= bound;
  }
  return common ? __builtin_ctz(common) : -1;
}

bool property_parts_begin(const struct property_set *kept)
{
  set = kept;
  for (uint32_t p = 0; p < set->properties; p++) {
    divides_by[p] = common_parameter(p);
    part_count[p] = divides_by[p] < 0 ? 1 : PROPERTY_PARTS;
    void *memory = mmap(NULL, part_count[p] * sizeof(struct property_part), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
      return false;
    parts[p] = memory;
  }
  return true;
}

static uint32_t hash(uint64_t value)
{
  return (uint32_t)((value * UINT64_C(0x9e3779b97f4a7c15)) >> 32);
}

struct property_part *property_part_of(const struct property_reading *reading)
{
  const struct property_rule *rule = &set->rule[reading->rule];
  for (unsigned v = 0; v < rule->carried; v++)
    if (rule->value[v].parameter == divides_by[rule->property])
      return &parts[rule->property][hash((uint64_t)reading->value[v]) % PROPERTY_PARTS];
  return parts[rule->property];
}

void property_part_lock(struct property_part *part, uint32_t property)
{
  order_lock(&part->lock);
  if (part->begun)
    return;
  property_instances_begin(&part->monitors, set);
  property_instances_keep(&part->monitors, property);
  __atomic_store_n(&part->begun, 1, __ATOMIC_RELAXED);
}

void property_part_unlock(struct property_part *part)
{
  order_unlock(&part->lock);
}

void property_part_changed(struct property_part *part)
{
  __atomic_add_fetch(&part->changes, 1, __ATOMIC_SEQ_CST);
  if (__atomic_load_n(&part->sleepers, __ATOMIC_SEQ_CST))
    order_wake(&part->changes);
}

void property_part_wait(struct property_part *part, uint32_t since)
{
  __atomic_add_fetch(&part->sleepers, 1, __ATOMIC_SEQ_CST);
  order_sleep(&part->changes, since, WITHOUT_END);
  __atomic_sub_fetch(&part->sleepers, 1, __ATOMIC_SEQ_CST);
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

void property_note_addresses(const struct property_reading *reading)
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

/* Every part that is used, locked. */
static void each_part(part_visitor *visit, void *context)
{
  for (uint32_t p = 0; p < set->properties; p++)
    for (uint32_t i = 0; set->property[p].pointers && i < part_count[p]; i++) {
      struct property_part *part = &parts[p][i];
      if (!__atomic_load_n(&part->begun, __ATOMIC_RELAXED))
        continue;
      order_lock(&part->lock);
      visit(part, context);
      order_unlock(&part->lock);
    }
}

static void visit_known(struct property_part *part, void *table)
{
  note_known(table, &part->monitors);
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

static void visit_forgotten(struct property_part *part, void *context)
{
  struct forgetting *f = context;
  if (!knows(&part->monitors, f))
    return;
  f->found = true;
  property_instances_renew(&part->monitors, f->addr, f->size);
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
