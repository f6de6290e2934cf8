/* SPDX-License-Identifier: Apache-2.0
 *
 * Threads that nobody can tell apart. Those that one thread creates right after each other, to do the same with the
 * same argument, are twins: an execution with their parts exchanged is an execution, too, and shows nothing else. So a
 * search may leave one of them out: as long as twins have done the same and met the same, the elder one goes first.
 *
 * A thread's step comes after the same step of its elder, which counts as a reason (order_event.elder). They go on
 * being twins after it (order_event.twins) if the two steps commute and know the same of all others: then the execution
 * up to there, with the two exchanged, is equivalent to itself. From the first step on for which that does not hold,
 * each is free. Why nothing is lost: take any execution, and in it the first step of a thread that comes before that of
 * its elder. Exchange the two threads from the beginning on. What came before is the same up to equivalence; at this
 * place there is the elder now; and so on to its end.
 *
 * That holds only while nothing depends on which of the twins it is. Whatever may tell them apart (joins that do not
 * come all at once, or that ask for results; a thread that asks who it is, that is named by another one, or that gives
 * away the address of something of its own; another step where the same was due) is noted (tells_apart), and the search
 * begins anew without this.
 *
 * It says who waits for whom. It decides nothing else about a search.
 */
#ifndef HEDDLE_EXPLORE_SYMMETRY_H
#define HEDDLE_EXPLORE_SYMMETRY_H

#include "explore/order.h"

/* The event e, a creation, has been performed: whether the new thread is a twin of the one created before it. */
void symmetry_note_creation(struct order *o, const struct world *world, uint32_t e);
/* The last event, e, has been performed: whether its thread is still a twin, and whether it was told from others. */
void symmetry_settle(struct order *o, const struct world *world, uint32_t e);
/* A thread is about to do that. */
void symmetry_look_at(struct order *o, unsigned thread, const struct operation *op);
/* The execution has ended, and this has not come. */
void symmetry_look_at_end(struct order *o, const struct order_event *phantom);
/* Who must let others go first is taken out of the set of those who can go on. */
void symmetry_hold(struct order *o, const struct thread_state *thread, struct threadset *set);

/* The event, + 1, of its elder that the thread's next step comes after; 0: none. */
uint32_t symmetry_elder(const struct order *o, unsigned thread, const struct operation *op);
/* The thread's next step has not come yet, and cannot before that of its elder, which has not come either. */
bool symmetry_waits(const struct order *o, const struct order_event *phantom);

#endif
