/* SPDX-License-Identifier: Apache-2.0
 *
 * Choices of a free run; see property_choices.h.
 */
#include "enforce/property_choices.h"
#include "enforce/order_lock.h"
#include "enforce/order_threads.h"
#include "enforce/property_parts.h"

static struct property_choices *choices; /* NULL: nothing is explored */
static uint32_t lock;                    /* over them */
static bool let_go[CHOICES_MOST];        /* of those that are held: it may go on */
static struct property_part *waits_on[CHOICES_MOST];

void choices_begin(struct property_choices *shared)
{
  shared->count = shared->told;
  shared->read = 0;
  shared->end = CHOICES_RUNNING;
  choices = shared;
}

static bool is_same(const struct property_choice *a, const struct property_choice *b)
{
  return a->thread == b->thread && a->rule == b->rule && a->nth == b->nth;
}

/* The event that the thread is at. */
static struct property_choice choice_of(const struct property_reading *reading)
{
  struct property_choice c = {.thread = reading->thread + 1, .rule = (uint16_t)reading->rule};
  for (uint32_t i = 0; i < choices->read; i++)
    c.nth += choices->event[i].thread == c.thread && choices->event[i].rule == c.rule;
  return c;
}

bool choice_holds(const struct property_reading *reading, const struct order_thread *self)
{
  if (!choices || !self)
    return false;
  bool holds = false;
  uint32_t at = 0;
  order_lock(&lock);
  struct property_choice c = choice_of(reading);
  while (at < choices->count && !is_same(&choices->list[at], &c))
    at++;
  if (at < choices->count) {
    holds = choices->list[at].held && !let_go[at];
    waits_on[at] = property_part_of(reading);
  } else if (at < CHOICES_MOST) {
    choices->list[at] = c;
    choices->count++;
  }
  order_unlock(&lock);
  return holds;
}

void choice_read(const struct property_reading *reading)
{
  if (!choices)
    return;
  order_lock(&lock);
  if (choices->read < CHOICES_MOST) {
    choices->event[choices->read] = choice_of(reading);
    choices->read++;
  }
  order_unlock(&lock);
}

bool choice_let_go(void)
{
  struct property_part *part = NULL;
  if (!choices)
    return false;
  order_lock(&lock);
  for (uint32_t i = 0; i < choices->count && !part; i++)
    if (choices->list[i].held && !let_go[i] && waits_on[i]) {
      let_go[i] = true;
      part = waits_on[i];
    }
  order_unlock(&lock);
  if (part) {
    order_lock(&part->lock->word);
    property_part_changed(part);
    order_unlock(&part->lock->word);
  }
  return part;
}

bool choices_are_made(void)
{
  return choices;
}

void choices_end(enum choices_end end)
{
  if (choices)
    choices->end = end;
}
