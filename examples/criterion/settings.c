/* SPDX-License-Identifier: Apache-2.0
 *
 * The settings, with a version that readers compare before and after. The bug: it changes when all is written, so a
 * reader in the middle of that sees nothing of it. Built with FIXED the version is odd meanwhile.
 */
#include "settings.h"
#include <sched.h>
#include <stdatomic.h>

static atomic_uint version;
static atomic_int workers, backlog;

void settings_change(struct settings to)
{
#ifdef FIXED
  atomic_fetch_add(&version, 1);
#endif
  atomic_store(&workers, to.workers);
  atomic_store(&backlog, to.backlog);
#ifdef FIXED
  atomic_fetch_add(&version, 1);
#else
  atomic_fetch_add(&version, 2);
#endif
}

struct settings settings_read(void)
{
  for (;; sched_yield()) {
    unsigned before = atomic_load(&version);
    if (before % 2)
      continue;
    struct settings seen = {atomic_load(&workers), atomic_load(&backlog)};
    if (atomic_load(&version) == before)
      return seen;
  }
}
