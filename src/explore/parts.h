/* SPDX-License-Identifier: Apache-2.0
 *
 * What parts.c and observed.c share: numbers for events and parts, and what a step would do if it came elsewhere.
 */
#ifndef HEDDLE_EXPLORE_PARTS_H
#define HEDDLE_EXPLORE_PARTS_H

#include "explore/sources.h"

enum parting_kind { BY_SOURCE = 1, BY_ORDER, BY_OUTCOME, BY_WAITING };

uint64_t number_of_event(const struct order *o, uint32_t event);
/* The event, if it reads from there (event, + 1) and has that past; NULL: it is as it came. */
uint64_t sign_with(const struct order *o, uint32_t event, uint32_t source, const struct horizon *past);

/* False: it is known already. */
bool add_part(struct sources *s, struct parting *h, uint64_t part);
/* A number for the events of that past which are not in the prefix. */
uint64_t sum_past(struct sources *s, const struct parting *h, const struct horizon *past);
/* The prefix and that past come. */
void begin_course(struct sources *s, const struct parting *h, const struct horizon *past);
static inline bool in_prefix(const struct sources *s, const struct parting *h, uint32_t event)
{
  return s->at[event] < h->at;
}

/* All that must come before the step, but for its source, if e (+ 1) and what comes after it had not been. */
void needed(const struct order *o, struct horizon *need, const struct order_event *step, uint32_t e);
/* What the event would read from that source (event, + 1). */
uint64_t value_of(const struct order *o, const struct order_event *e, uint32_t source);
/* Whether it writes when it reads that: a compare-and-swap may not. */
bool writes_after(struct sources *s, const struct order_event *e, uint64_t value);
/* Of the event, if it reads that. */
enum look_verdict judge(const struct sources *s, const struct order_event *e, uint64_t value);
/* The thread of the event, which would look in vain, waits for good: that is a part, too. */
void add_waiting(struct sources *s, struct parting *h, const struct order_event *e);

/* ---- observed.c ---- */

/* A read that came by itself: the part it is of, and those in which other writes of the prefix come before it. */
void observed_come(struct sources *s, struct parting *h, uint32_t event);
/* A step of the read's bytes that came later, or has not come: it comes before the read. */
void observed_later(struct sources *s, struct parting *h, uint32_t event, uint32_t later);
/* The read, which has not come, comes after some of all that is there. */
void observed_pending(struct sources *s, struct parting *h, uint32_t event);
/* Of a read that is to come without e: the writes it still sees join the past; and in the arrangement, of which it is
 * the last change, they come before it. */
void observed_join(const struct order *o, struct horizon *past, uint32_t reader, uint32_t e);
void observed_choose(struct sources *s, uint32_t reader, uint32_t e);

#endif
