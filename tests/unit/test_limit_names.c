/* SPDX-License-Identifier: Apache-2.0
 *
 * Which names sound like a limit of how many there are.
 */
#include "lint/bounding_parts.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
/* */
#include <cmocka.h>

static void limits(void **state)
{
  static const char *const text[] = {"clients < max_clients",
                                     "count >= maxClients",
                                     "n < MAXCONN",
                                     "s->limits.clients",
                                     "too_many(server)",
                                     "pool_full",
                                     "MAX",
                                     "n == maximum",
                                     "server->overloaded",
                                     "nConnLimit",
                                     "a->exceeds_quota"};
  (void)state;
  for (size_t i = 0; i < sizeof text / sizeof text[0]; i++)
    if (!names_limit(text[i]))
      fail_msg("%s is a limit", text[i]);
}

static void others(void **state)
{
  static const char *const text[] = {"fd < maxfd", "n < MAX_BUF_LEN", "climax",         "length > limit_bytes",
                                     "",           "i < FD_SETSIZE",  "fullpath",       "germany()",
                                     "max_fd + 1", "path_max",        "limit::reached", "stopped",
                                     "12"};
  (void)state;
  for (size_t i = 0; i < sizeof text / sizeof text[0]; i++)
    if (names_limit(text[i]))
      fail_msg("%s is no limit", text[i]);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(limits), cmocka_unit_test(others)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
