/* SPDX-License-Identifier: Apache-2.0
 *
 * A read-write lock that writers come first in: a writer says that it waits, and readers let it pass. BROKEN: a reader
 * that comes does not look again after it has counted itself.
 *
 * broken: assertion
 */
#include <stdatomic.h>

static atomic_long writing, readers;

static void acquire(int me)
{
  (void)me;
  while (atomic_exchange(&writing, 1))
    ;
  while (atomic_load(&readers) != 0)
    ;
}

static void release(int me)
{
  (void)me;
  atomic_store(&writing, 0);
}

static void acquire_shared(int me)
{
  (void)me;
#ifdef BROKEN
  while (atomic_load(&writing))
    ;
  atomic_fetch_add(&readers, 1);
#else
  for (;;) {
    while (atomic_load(&writing))
      ;
    atomic_fetch_add(&readers, 1);
    if (!atomic_load(&writing))
      return;
    atomic_fetch_add(&readers, -1);
  }
#endif
}

static void release_shared(int me)
{
  (void)me;
  atomic_fetch_add(&readers, -1);
}

#include "library.h"
