/* SPDX-License-Identifier: Apache-2.0
 *
 * What a program does, as rules of properties (property.h) look at it: which of them it fits, and which values it has
 * for them.
 */
#ifndef HEDDLE_CORE_PROPERTY_HAPPENING_H
#define HEDDLE_CORE_PROPERTY_HAPPENING_H

#include "core/property_instances.h"

struct property_happening {
  enum event_source source;
  bool after;                /* the call */
  bool unfinished;           /* it did not return, so there is no result */
  uint32_t function;         /* of a call: its number, from 1; else 0 */
  const char *mark;          /* of a mark; else NULL */
  const char *thread_name;   /* of who does it */
  uint32_t thread;           /* its number, from 1 */
  const uintptr_t *argument; /* the first six, of a call */
  uintptr_t result, pc;
  int signal;     /* of the handler that does it, 0 for none */
  uintptr_t bias; /* what addresses have more than the program's file says, */
  uintptr_t addr; /* of an access or a mutex */
  size_t size;
  uint8_t accesses;
};

/* A value of it, as its type says, in 64 bits. */
static inline int64_t property_happening_value(const struct property_value *value, const struct property_happening *h)
{
  if (value->source == VALUE_THREAD)
    return h->thread;
  if (value->source == VALUE_SIGNAL)
    return h->signal;
  uint64_t raw = value->source == VALUE_RESULT ? h->result : h->argument[value->source];
  unsigned above = 64 - 8u * value->width;
  return value->is_signed ? (int64_t)(raw << above) >> above : (int64_t)(raw << above >> above);
}

/* Whether it depends on the name of the thread what it is. */
bool property_happening_asks_name(const struct property_set *set, const struct property_happening *h);
/* What a rule of the set makes of it. False: it is no event by that rule. */
bool property_happening_read(const struct property_set *set, uint32_t rule, const struct property_happening *h,
                             struct property_reading *out);

#endif
