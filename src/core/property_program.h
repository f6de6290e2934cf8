/* SPDX-License-Identifier: Apache-2.0
 *
 * Properties for a program that runs freely, as heddle enforce gives them to it: memory of its own that the process
 * maps before main, and that heddle reads when it explores.
 */
#ifndef HEDDLE_CORE_PROPERTY_PROGRAM_H
#define HEDDLE_CORE_PROPERTY_PROGRAM_H

#include "core/config.h"
#include "core/property.h"
#include "core/property_choice.h"

#define PROPERTY_PROGRAM_VARIABLE "HEDDLE_ENFORCE" /* the number of the descriptor, and what LD_PRELOAD was */

struct property_program {
  uint64_t size; /* of this: another one is of another heddle */
  bool passive, verbose, explores;
  bool without_sleeps; /* they end at once */
  uint32_t functions;  /* numbered from 1 */
  struct watched_call function[WATCHED_CALLS];
  uint64_t handler[PROPERTIES][HANDLED]; /* as the file has it; 0: none */
  struct property_set set;
  struct property_choices choices;
};

#endif
