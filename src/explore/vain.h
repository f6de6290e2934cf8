/* SPDX-License-Identifier: Apache-2.0
 *
 * Looks in vain. A thread that waits in a loop looks at something (a load, a compare-and-swap or an attempt to lock
 * that fails), and goes round again. The look that brings it back to where it stood before, with nothing changed since,
 * might as well not have been: whatever it could see later it sees later. So a thread does not take that step, and
 * waits instead until it would see something else; what it looked at before in the same round stays, since that may be
 * what makes it leave. Executions then have only rounds in which a thread leaves its loop, or changes something.
 *
 * Where a look leads is found out by running it, and is remembered for all executions: a thread that stands where it
 * stood, be it in another execution, and sees the same, comes to the same place (world.h: local). Whether it stood
 * there before depends on the execution. That a look can be in vain at all is known of its place in the code, from the
 * first time it was (a lesson, unit.h); at such a place a look that was never made is in doubt, and is tried before
 * anybody relies on it (probe.c).
 */
#ifndef HEDDLE_EXPLORE_VAIN_H
#define HEDDLE_EXPLORE_VAIN_H

#include "explore/order.h"
#include "explore/unit.h"

#define VAIN_BITS 16

struct vain {
  uint32_t places, landings;
  uintptr_t place[LESSON_PLACES]; /* in the code, of looks that were in vain once */
  struct {
    uint64_t look, leads_to; /* 0: free */
  } landing[1u << VAIN_BITS];
};

struct vain_look {
  uint64_t stands; /* a number for where the thread stands, about to look */
  uint64_t key;
  uint64_t sees;
  uintptr_t pc;
  uint8_t bytes;
};

enum look_verdict { OF_USE, IN_VAIN, IN_DOUBT };

/* A number for where a thread stands with what it is about to do; 0: not known. */
uint64_t stands_at(unsigned thread, const struct operation *op, uint64_t local);

/* Whether the operation may be a look; all but what it sees. */
bool look_from(struct vain_look *out, unsigned thread, const struct operation *op, uint64_t local);
/* The event, if it only looked. */
bool look_of_event(struct vain_look *out, const struct order *o, const struct order_event *e);

bool vain_knows_place(const struct vain *v, uintptr_t pc);
/* False: it is known, or there is no room, and looks there stay steps as any other. */
bool vain_add_place(struct vain *v, uintptr_t pc);
void vain_remember(struct vain *v, const struct vain_look *look, uint64_t leads_to);

/* Of a thread whose last event (+ 1) before it is that. */
enum look_verdict vain_judge(const struct vain *v, const struct order *o, uint32_t last, const struct vain_look *look);
/* The thread, about to take that look after its last event (+ 1), comes back to where it stood, if it leads there. */
bool look_returns(const struct order *o, uint32_t last, const struct vain_look *look, uint64_t leads_to);

#endif
