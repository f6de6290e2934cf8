/* SPDX-License-Identifier: Apache-2.0
 *
 * Pattern 2: up to an end that is in the data, or that an iterator says; not if nothing moves on.
 */
#include "creation.h"
#include <unistd.h>

void start_for_words(char **words)
{
  while (*++words) /* = bounded 2 */
    create();
}

void start_for_ports(const int *ports)
{
  for (int i = 0; ports[i]; i++) /* = bounded 2 */
    create();
}

void start_for_options(int argc, char **argv)
{
  while (getopt(argc, argv, "p:") != -1) /* = bounded 2 */
    create();
}

void start_while_set(const int *port)
{
  while (*port) /* = possible */
    create();
}

struct p2_test {
  const char *name;
};

void start_for_tests(const struct p2_test *test)
{
  for (; test->name != NULL; test++) /* = bounded 2 */
    create();
}

void start_for_tests_of(const struct p2_test test[])
{
  for (int i = 0; NULL != test[i].name; i++) /* = bounded 2 */
    create();
}

void start_while_named(const struct p2_test *test)
{
  while (test->name) /* = possible */
    create();
}
