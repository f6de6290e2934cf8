/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests of the settings, with Criterion.
 */
#include "settings.h"
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <pthread.h>

static const struct settings small = {.workers = 1, .backlog = 16}, large = {.workers = 8, .backlog = 128};

static void begin_small(void)
{
  settings_change(small);
}

TestSuite(settings, .init = begin_small);

Test(settings, are_what_was_set)
{
  settings_change(large);
  struct settings now = settings_read();
  cr_assert(eq(int, now.workers, 8));
  cr_assert(eq(int, now.backlog, 128));
}

static void *grow(void *arg)
{
  settings_change(large);
  return arg;
}

Test(settings, belong_together)
{
  pthread_t writer;
  pthread_create(&writer, NULL, grow, NULL);
  struct settings seen = settings_read();
  pthread_join(writer, NULL);
  cr_assert(eq(int, seen.backlog, 16 * seen.workers));
}
