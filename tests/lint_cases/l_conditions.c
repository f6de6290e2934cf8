/* SPDX-License-Identifier: Apache-2.0
 *
 * A condition with many parts, of which the first is the bound; limits that a function gives; how many there are as a
 * number that a function gives; a walk by a macro of one's own.
 */
#include "creation.h"

extern int check(int step);
extern int list_size(void *list);
static int configured;
static void *clients;

static int most(void)
{
  return configured > 0 ? configured : 8;
}

void many_parts(int n)
{
  for (int i = 0; i < n; i++) { /* = bounded 5 */
    if (check(1) || check(2) || check(3) || check(4) || check(5) || check(6) || check(7) || check(8) || check(9) ||
        check(10) || check(11))
      continue;
    create();
  }
}

void given_by_a_function(void)
{
  for (int i = 0; i < most(); i++) /* = bounded 9 */
    create();
}

void told_how_many(int limit)
{
  for (;;) { /* = live 8 */
    int now = list_size(clients);
    if (now >= limit)
      continue;
    create();
  }
}

struct slots {
  int used;
  void **slot;
};
#define slots_foreach(v, p, i) for (i = 0; (v) && i < (v)->used && ((p) = (v)->slot[i]); i++)

void by_own_macro(struct slots *v)
{
  int i;
  void *p;
  slots_foreach(v, p, i) /* = bounded 1 */
  {
    create();
  }
}

void one_of_two(int chosen)
{
  for (int i = 0; i < (chosen > 1 ? chosen : 1); i++) /* = bounded 5 */
    create();
}

extern void *next_client(void *list, void *client);

void by_a_function(void *list)
{
  void *client = next_client(list, NULL);
  while (client != NULL) { /* = bounded 2 */
    create();
    client = next_client(list, client);
  }
}
