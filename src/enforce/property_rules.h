/* SPDX-License-Identifier: Apache-2.0
 *
 * Rules as they are needed whenever the program does something: little memory for each, one behind the other, by the
 * function they are about. The set itself (core/property.h) is spread over many pages.
 */
#ifndef HEDDLE_ENFORCE_PROPERTY_RULES_H
#define HEDDLE_ENFORCE_PROPERTY_RULES_H

#include "core/property_happening.h"

#define READINGS_MOST 32 /* events that one thing that happens can be */
#define STEP_VIOLATES 0x8000

struct kept_rule {
  const uint16_t *to; /* of small monitors (property_cells.h): for each state the next one, and whether that violates
                         the property; NULL: they are not small */
  uint16_t number;    /* in the set */
  uint8_t property;
  bool is_plain; /* the values are all that there is to it: no thread, no question */
  bool is_enforced;
  bool creates, destroys; /* monitors; creates: also if the property needs no creation */
  bool loops;             /* small monitors have states that it does not change */
  uint8_t carried;
  int8_t divider; /* which value says the part (property_parts.h); -1: there is one part */
  int8_t key[2];  /* which values the first parameters have; -1: none */
  struct property_value value[PROPERTY_VALUES];
};

/* False: no memory left. */
bool property_rules_begin(const struct property_set *set);
extern struct kept_rule property_rules[PROPERTY_RULES];
static inline const struct kept_rule *kept_rule(uint32_t number)
{
  return &property_rules[number];
}

/* Which events it is, in the order of the rules. */
unsigned property_rules_read(const struct property_happening *h, struct property_reading list[READINGS_MOST]);

#endif
