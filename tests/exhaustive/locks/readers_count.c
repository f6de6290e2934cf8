/* SPDX-License-Identifier: Apache-2.0
 *
 * A read-write lock in one word: the number of readers, or -1 for a writer. BROKEN: the writer looks whether somebody
 * reads and takes it then.
 *
 * broken: assertion
 */
#include <stdatomic.h>

static atomic_long readers;

static void acquire(int me)
{
  (void)me;
#ifdef BROKEN
  while (atomic_load(&readers) != 0)
    ;
  atomic_store(&readers, -1);
#else
  long nobody = 0;
  while (!atomic_compare_exchange_strong(&readers, &nobody, -1))
    nobody = 0;
#endif
}

static void release(int me)
{
  (void)me;
  atomic_store(&readers, 0);
}

static void acquire_shared(int me)
{
  (void)me;
  for (;;) {
    long seen = atomic_load(&readers);
    if (seen >= 0 && atomic_compare_exchange_strong(&readers, &seen, seen + 1))
      return;
  }
}

static void release_shared(int me)
{
  (void)me;
  atomic_fetch_add(&readers, -1);
}

#include "library.h"
