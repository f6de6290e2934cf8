/* SPDX-License-Identifier: Apache-2.0
 *
 * The orderings that a test names (heddle_schedule.h), its events and the names of its threads: what the runtime knows
 * of them. That they are kept is the observer's business (observer/orderings.c).
 */
#ifndef HEDDLE_RUNTIME_TEST_ORDERINGS_H
#define HEDDLE_RUNTIME_TEST_ORDERINGS_H

#include "core/operation.h"

/* An execution begins. Texts that say nothing end the session. */
void test_orderings_begin(void);
/* And now its first thread does: which of several orderings it is to keep is its first decision. */
void test_orderings_choose(void);

/* A thread was created, whose creator may have said how it is called. */
void test_thread_added(unsigned thread, unsigned creator);
void test_name_thread(unsigned thread, const char *name);

/* See world.h: event, is_called. */
unsigned test_event_of(void *self, unsigned thread, const struct operation *op);
bool test_thread_is_called(void *self, unsigned thread, const char *name);

#endif
