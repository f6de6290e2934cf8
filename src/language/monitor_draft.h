/* SPDX-License-Identifier: Apache-2.0
 *
 * A monitor in the making: the table of a finite automaton that grows state by state, from what is regular. Each
 * formalism has a file that makes one from a specification; a formula that would need too many states, or too much
 * while they are counted, is an error and not a long wait.
 */
#ifndef HEDDLE_LANGUAGE_MONITOR_DRAFT_H
#define HEDDLE_LANGUAGE_MONITOR_DRAFT_H

#include "language/property_spec.h"

#define DRAFT_STATES 4096
#define DRAFT_NONE UINT32_MAX

struct monitor_draft {
  uint32_t letters, states;
  uint16_t *edge;     /* states × letters */
  uint16_t *category; /* of each state */
};

void draft_begin(struct monitor_draft *d, uint32_t letters);
void draft_free(struct monitor_draft *d);
/* A new state, whose edges lead nowhere yet; DRAFT_NONE when there are too many. */
uint32_t draft_state(struct monitor_draft *d, uint32_t category);
/* All states from which none of the category can be reached get another one. */
bool draft_mark_hopeless(struct monitor_draft *d, uint32_t category, uint32_t hopeless);

/* False when it is too large: an automaton for what the specification says. */
bool draft_from_states(struct monitor_draft *d, const struct spec *s);
bool draft_from_expression(struct monitor_draft *d, const struct spec *s);
bool draft_from_future(struct monitor_draft *d, const struct spec *s);
bool draft_from_past(struct monitor_draft *d, const struct spec *s);

/* The symbols of a monitor that has memory (core/monitor.h), at most `most` of them. 0 when there is no room, or, of a
 * grammar, when no word can be derived: then *empty is true. */
uint32_t symbols_from_grammar(const struct spec *s, uint16_t *symbol, uint32_t most, bool *empty);
uint32_t symbols_from_rules(const struct spec *s, uint16_t *symbol, uint32_t most);

#endif
