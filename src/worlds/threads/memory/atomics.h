/* SPDX-License-Identifier: Apache-2.0
 *
 * What an atomic operation means for happens-before, by its memory order (__ATOMIC_*); to be said right where it is
 * performed.
 */
#ifndef HEDDLE_RUNTIME_ATOMICS_H
#define HEDDLE_RUNTIME_ATOMICS_H

#include <stdbool.h>

void atomic_loaded(const volatile void *addr, int order);
/* A plain store starts a new release sequence; a read-modify-write continues the one it reads from. */
void atomic_stored(const volatile void *addr, int order, bool continues);
void atomic_fence(int order);
/* Stores of this kind (WEAK_*) can come next: from the first one on, what can overtake them is looked for
 * (observer/overtaking.c). */
void note_weak_stores(unsigned kind);

#endif
