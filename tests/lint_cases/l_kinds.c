/* SPDX-License-Identifier: Apache-2.0
 *
 * Loops of every kind: for, while, do, goto, recursion, and a thread that creates its own kind.
 */
#include "creation.h"

extern int l_accept(void);

void by_do(void)
{
  do { /* = unbounded, no pattern fits the value of l_accept() */
    create();
  } while (l_accept());
}

void by_goto(void)
{
again: /* = unbounded; l_accept() > 0 */
  create();
  if (l_accept() > 0)
    goto again;
}

void by_goto_some(int n)
{
again: /* = bounded 5; --n > 0 */
  create();
  if (--n > 0)
    goto again;
}

void by_recursion(int depth) /* = bounded 5; depth > 0 */
{
  create();
  if (depth > 0)
    by_recursion(depth - 1);
}

void by_recursion_for_ever(int depth) /* = unbounded */
{
  create();
  if (l_accept())
    by_recursion_for_ever(depth);
}

static void *breeds(void *argument) /* = unbounded */
{
  pthread_t thread;
  if (l_accept())
    pthread_create(&thread, NULL, breeds, argument);
  return NULL;
}

void begin(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, breeds, NULL);
}
