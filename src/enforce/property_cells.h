/* SPDX-License-Identifier: Apache-2.0
 *
 * Small monitors: of a property that is a table without variables, and whose events all bind all its parameters. Then
 * there is one monitor for each combination of values, no other one has to do with it, and all that it knows is the
 * number of its state. What core/property_instances.h says of such properties holds here, too; a test compares them.
 *
 * Cells are changed with the lock of their part (property_parts.h). Whether an event would change nothing can be asked
 * without it: the version is odd while somebody changes a cell, and what is read between two equal even ones was so.
 */
#ifndef HEDDLE_ENFORCE_PROPERTY_CELLS_H
#define HEDDLE_ENFORCE_PROPERTY_CELLS_H

#include "enforce/property_rules.h"

#define PROPERTY_CELLS 1024
#define CELL_SLOTS 2048 /* twice as many, so that there is always an empty one */
#define CELL_KEYS 2

struct property_cell {
  int64_t key[CELL_KEYS]; /* values of the parameters */
  uint64_t state;
};

/* All zero: none yet. */
struct property_cells {
  uint32_t version;
  uint32_t count;
  bool lost;                 /* there was no room for all */
  uint16_t slot[CELL_SLOTS]; /* by the keys: number of the cell, from 1 */
  struct property_cell cell[PROPERTY_CELLS];
};

/* What an event does to a monitor. */
struct cell_step {
  uint32_t cell; /* PROPERTY_CELLS: there is none yet */
  bool concerns; /* there is one, or one is made */
  bool violates;
  uint16_t from, to;
};

/* An event for such a property. */
struct cell_event {
  const struct kept_rule *rule;
  bool is_tried; /* what it would do is known, as long as the lock is held */
  struct cell_step step;
  int64_t key[CELL_KEYS];
};

/* Whether the property is such a one. */
bool property_has_cells(const struct property_set *set, uint32_t property);
static inline void cell_event_begin(struct cell_event *e, const struct kept_rule *rule,
                                    const struct property_reading *reading)
{
  e->rule = rule;
  e->is_tried = false;
  e->key[0] = rule->key[0] < 0 ? 0 : reading->value[rule->key[0]];
  e->key[1] = rule->key[1] < 0 ? 0 : reading->value[rule->key[1]];
}

/* With the lock: whether it violates nothing. */
bool cells_admit(const struct property_cells *c, struct cell_event *e);
/* With the lock: it is read. What came of it, a set. */
enum { CELLS_VIOLATED = 1, CELLS_LOST = 2, CELLS_NEW = 4 };
unsigned cells_read(struct property_cells *c, struct cell_event *e);
/* Without the lock: whether it changes nothing and violates nothing. That was so if the version is still the one that
 * it had before this was asked. */
bool cells_are_left_alone(const struct property_cells *c, const struct cell_event *e);
static inline uint32_t cells_version(const struct property_cells *c)
{
  return __atomic_load_n(&c->version, __ATOMIC_ACQUIRE);
}

/* With the lock: those whose parameters, of the set, have addresses there are no more. Whether there were any. */
bool cells_forget(struct property_cells *c, uint32_t pointers, uintptr_t addr, size_t size);
/* With the lock: the state of the monitor that reads the event; false: there is none. */
bool cells_state(const struct property_cells *c, const struct cell_event *e, uint16_t *state);

#endif
