/* SPDX-License-Identifier: Apache-2.0
 *
 * An event that is harmless now may make a later one impossible: with `get* put`, a put that is let through at once is
 * the last event there can be. Where heddle enforce explores, letting an event through or holding it back is a choice.
 * Each run is told which events to hold back: a thread's event of some number is held until nobody else can go on; all
 * others are let through, and noted. When a run ends in an enforced deadlock, heddle holds back, in the next one, the
 * last event that it let through in this one, and so on through all choices (cli/command/enforce.c).
 */
#ifndef HEDDLE_ENFORCE_PROPERTY_CHOICES_H
#define HEDDLE_ENFORCE_PROPERTY_CHOICES_H

#include "core/property_choice.h"
#include "core/property_instances.h"

struct order_thread;

/* In memory that heddle shares. */
void choices_begin(struct property_choices *shared);
/* With the locks: whether the event, which is admitted, is held back by choice. */
bool choice_holds(const struct property_reading *reading, const struct order_thread *self);
/* With the locks: it is read. */
void choice_read(const struct property_reading *reading);
/* Nobody can go on: one of those that are held by choice is let through. False: there is none. */
bool choice_let_go(void);
bool choices_are_made(void);
/* The run ends. */
void choices_end(enum choices_end end);

#endif
