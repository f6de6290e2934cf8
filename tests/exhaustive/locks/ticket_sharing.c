/* SPDX-License-Identifier: Apache-2.0
 *
 * A fair read-write lock of tickets: readers call the next reader as soon as they are in, and the next writer when they
 * leave; writers call both when they leave. BROKEN: readers call the next writer too when they come in.
 *
 * broken: assertion
 */
#include <stdatomic.h>

static atomic_long next, may_read, may_write;

static void acquire(int me)
{
  (void)me;
  long ticket = atomic_fetch_add(&next, 1);
  while (atomic_load(&may_write) != ticket)
    ;
}

static void release(int me)
{
  (void)me;
  atomic_fetch_add(&may_read, 1);
  atomic_fetch_add(&may_write, 1);
}

static void acquire_shared(int me)
{
  (void)me;
  long ticket = atomic_fetch_add(&next, 1);
  while (atomic_load(&may_read) != ticket)
    ;
  atomic_fetch_add(&may_read, 1);
#ifdef BROKEN
  atomic_fetch_add(&may_write, 1);
#endif
}

static void release_shared(int me)
{
  (void)me;
#ifndef BROKEN
  atomic_fetch_add(&may_write, 1);
#endif
}

#include "library.h"
