/* SPDX-License-Identifier: Apache-2.0
 *
 * Which events a free run holds back by choice, and what came of it: memory that heddle enforce shares with the program
 * it explores (enforce/property_choices.h).
 */
#ifndef HEDDLE_CORE_PROPERTY_CHOICE_H
#define HEDDLE_CORE_PROPERTY_CHOICE_H

#include <stdbool.h>
#include <stdint.h>

#define CHOICES_MOST 8192

/* An event: a thread's, by a rule, the how many-th of these. */
struct property_choice {
  uint32_t thread; /* its number, from 1 */
  uint16_t rule, nth;
  bool held;
};

enum choices_end { CHOICES_RUNNING, CHOICES_ENFORCED_DEADLOCK, CHOICES_PROGRAM_DEADLOCK };

struct property_choices {
  uint32_t told;  /* of the list, as heddle wants them */
  uint32_t count; /* all that were met; too many are not noted */
  struct property_choice list[CHOICES_MOST];
  uint32_t read; /* events that monitors have read, in this order */
  struct property_choice event[CHOICES_MOST];
  uint32_t end; /* enum choices_end */
};

#endif
