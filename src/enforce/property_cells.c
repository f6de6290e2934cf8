/* SPDX-License-Identifier: Apache-2.0
 *
 * Small monitors; see property_cells.h. Cells lie one behind the other, and a table with open addressing finds them.
 */
#include "enforce/property_cells.h"

#define NO_CELL PROPERTY_CELLS

bool property_has_cells(const struct property_set *set, uint32_t property)
{
  const struct property *p = &set->property[property];
  const uint32_t all = (1u << p->parameters) - 1;
  if (p->monitor.kind != MONITOR_TABLE || p->parameters > CELL_KEYS)
    return false;
  for (uint32_t r = 0; r < set->rules; r++) {
    const struct property_rule *rule = &set->rule[r];
    uint32_t bound = 0;
    if (rule->property != property)
      continue;
    for (unsigned v = 0; v < rule->carried; v++)
      if (rule->value[v].parameter < PROPERTY_PARAMETERS)
        bound |= 1u << rule->value[v].parameter;
    if (bound != all || rule->condition || rule->waits)
      return false;
  }
  return true;
}

/* ---- finding ---- */

/* Who reads without the lock sees all that came before a value that it sees: then the version has changed. */
#define LOAD(place) __atomic_load_n(&(place), __ATOMIC_ACQUIRE)
#define STORE(place, value) __atomic_store_n(&(place), value, __ATOMIC_RELEASE)

static uint32_t home_of(const int64_t *key)
{
  uint64_t mixed = ((uint64_t)key[0] ^ (uint64_t)key[1] * UINT64_C(0xff51afd7ed558ccd)) * UINT64_C(0x9e3779b97f4a7c15);
  return (uint32_t)(mixed >> 40) % CELL_SLOTS;
}

/* Where it is, or would be, in the table. Ends also while somebody changes that. */
static uint32_t slot_of(const struct property_cells *c, const int64_t *key)
{
  uint32_t at = home_of(key);
  for (uint32_t i = 0; i < CELL_SLOTS; i++, at = (at + 1) % CELL_SLOTS) {
    uint32_t number = LOAD(c->slot[at]);
    if (!number)
      break;
    const struct property_cell *x = &c->cell[number - 1];
    if (LOAD(x->key[0]) == key[0] && LOAD(x->key[1]) == key[1])
      break;
  }
  return at;
}

static uint32_t find(const struct property_cells *c, const int64_t *key)
{
  uint32_t number = LOAD(c->slot[slot_of(c, key)]);
  return number ? number - 1 : NO_CELL;
}

/* ---- changing ---- */

static void begin_change(struct property_cells *c)
{
  __atomic_store_n(&c->version, c->version + 1, __ATOMIC_RELAXED);
}

static void end_change(struct property_cells *c)
{
  STORE(c->version, c->version + 1);
}

static void write_cell(struct property_cells *c, uint32_t number, struct property_cell to)
{
  for (unsigned k = 0; k < CELL_KEYS; k++)
    STORE(c->cell[number].key[k], to.key[k]);
  STORE(c->cell[number].state, to.state);
}

static void insert(struct property_cells *c, const int64_t *key, uint16_t state)
{
  begin_change(c);
  write_cell(c, c->count, (struct property_cell){{key[0], key[1]}, state});
  STORE(c->slot[slot_of(c, key)], (uint16_t)(c->count + 1));
  STORE(c->count, c->count + 1);
  end_change(c);
}

/* Those behind a slot that is emptied move up, unless they would come before their home. */
static void empty_slot(struct property_cells *c, uint32_t at)
{
  for (uint32_t next = (at + 1) % CELL_SLOTS; c->slot[next]; next = (next + 1) % CELL_SLOTS) {
    uint32_t home = home_of(c->cell[c->slot[next] - 1].key);
    if ((next - home) % CELL_SLOTS < (next - at) % CELL_SLOTS)
      continue;
    STORE(c->slot[at], c->slot[next]);
    at = next;
  }
  STORE(c->slot[at], 0);
}

/* The last one takes its place. */
static void erase(struct property_cells *c, uint32_t number)
{
  uint32_t last = c->count - 1;
  begin_change(c);
  empty_slot(c, slot_of(c, c->cell[number].key));
  if (number != last) {
    STORE(c->slot[slot_of(c, c->cell[last].key)], (uint16_t)(number + 1));
    write_cell(c, number, c->cell[last]);
  }
  STORE(c->count, last);
  end_change(c);
}

/* ---- events ---- */

/* The objects that it binds are no more: those of any of them go. */
static void destroy(struct property_cells *c, const struct cell_event *e)
{
  for (uint32_t i = c->count; i-- > 0;)
    if (c->cell[i].key[0] == e->key[0] || (e->rule->key[1] >= 0 && c->cell[i].key[1] == e->key[1]))
      erase(c, i);
}

static void find_step(const struct property_cells *c, const struct cell_event *e, struct cell_step *s)
{
  s->cell = find(c, e->key);
  s->concerns = s->cell != NO_CELL || e->rule->creates;
  s->from = s->cell == NO_CELL ? 0 : (uint16_t)LOAD(c->cell[s->cell].state);
  s->to = e->rule->to[s->from] & ~STEP_VIOLATES;
  s->violates = s->concerns && e->rule->to[s->from] & STEP_VIOLATES;
}

bool cells_admit(const struct property_cells *c, struct cell_event *e)
{
  find_step(c, e, &e->step);
  e->is_tried = true;
  return e->rule->destroys || !e->step.violates;
}

unsigned cells_read(struct property_cells *c, struct cell_event *e)
{
  const struct cell_step *s = &e->step;
  const unsigned lost = c->lost ? CELLS_LOST : 0;
  if (!e->is_tried)
    find_step(c, e, &e->step);
  if (e->rule->destroys)
    destroy(c, e);
  if (e->rule->destroys || !s->concerns)
    return lost;
  if (s->cell == NO_CELL && c->count == PROPERTY_CELLS) {
    c->lost = true;
    return CELLS_LOST;
  }
  const unsigned outcome = lost | (s->violates ? CELLS_VIOLATED : 0);
  if (s->cell == NO_CELL) {
    insert(c, e->key, s->to);
    return outcome | CELLS_NEW;
  }
  if (s->from != s->to) {
    begin_change(c);
    STORE(c->cell[s->cell].state, s->to);
    end_change(c);
  }
  return outcome;
}

bool cells_are_left_alone(const struct property_cells *c, const struct cell_event *e)
{
  struct cell_step s;
  if (e->rule->destroys)
    return false;
  find_step(c, e, &s);
  return !s.concerns || (s.cell != NO_CELL && s.from == s.to && !s.violates);
}

bool cells_state(const struct property_cells *c, const struct cell_event *e, uint16_t *state)
{
  uint32_t cell = find(c, e->key);
  if (cell == NO_CELL)
    return false;
  *state = (uint16_t)c->cell[cell].state;
  return true;
}

bool cells_forget(struct property_cells *c, uint32_t pointers, uintptr_t addr, size_t size)
{
  bool found = false;
  for (uint32_t i = c->count; i-- > 0;) {
    bool gone = false;
    for (unsigned k = 0; k < CELL_KEYS; k++)
      gone |= pointers >> k & 1 && (uintptr_t)c->cell[i].key[k] - addr < size;
    if (gone)
      erase(c, i);
    found |= gone;
  }
  return found;
}
