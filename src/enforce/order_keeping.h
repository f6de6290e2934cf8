/* SPDX-License-Identifier: Apache-2.0
 *
 * Keeping a test's schedule while its threads run freely: libheddle-enforce.so, for test runs without heddle.
 *
 * A thread that comes to an event too early is held until its conditions hold; nothing else is slowed down. A thread
 * counts as blocked if it is in a call that waits for others (order_calls.c marks it before it goes in) and the kernel
 * says that it sleeps: one that was woken but has not run yet does not sleep any more, and one that is on its way in
 * does not yet. Held threads are woken by every event and every mark; they look by themselves only while a thread they
 * ask for is on its way in, and now and then to see whether anybody is left who could go on.
 *
 * Nothing here allocates. There is one lock, and it is never held while code of the program runs.
 */
#ifndef HEDDLE_ENFORCE_ORDER_KEEPING_H
#define HEDDLE_ENFORCE_ORDER_KEEPING_H

#include "core/ordering.h"

enum keeping { KEEPING_NOTHING, KEEPING_ACTIVE, KEEPING_PASSIVE };

/* Before main: the ordering to keep from now on. */
void order_keep(const struct ordering *ordering, enum keeping how);
enum keeping order_how(void);

/* The calling thread comes to the event, and is held there if need be. */
void order_arrive(enum ordering_event_kind kind, const char *name);

/* Some thread may be blocked now that was not, or has ended: who waits for that looks again. */
void order_look_again(void);
/* Whether somebody asks who is blocked: the ordering, or, from now on, a property. */
bool order_asks(void);
void order_ask(void);
/* Sleeps until somebody was told to look again since then. */
uint32_t order_looks(void);
void order_wait_for_look(uint32_t since, uint64_t nanoseconds);

/* To standard error. */
void order_say(const char *text, size_t length);

/* For who watches a pinned bug (order_watch.h): whether some thread is held, and none of them could go on. */
enum held { HELD_NONE, HELD_SOME, HELD_CAN_GO_ON };
enum held order_held(void);
/* Lets all go that are held, from now on; the test may still fail by itself. */
void order_release(const char *why);
/* The test fails, for that reason, and ends. */
_Noreturn void order_fail(const char *why);

/* The program ends: events that did not happen are told. */
void order_end(void);

#endif
