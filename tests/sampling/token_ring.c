/* SPDX-License-Identifier: Apache-2.0
 *
 * A token goes round: each of three threads copies what the one before it has, and says so. A fourth one that finds all
 * of them done expects that all have the same; but they need not have gone in order.
 *
 * verdict: assertion
 */
#include "many.h"
#include <stdatomic.h>

static atomic_int token[3], done[3];

static void *pass(void *number)
{
  int me = (int)(long)number;
#ifdef FIXED
  while (me && !done[me - 1])
    ;
#endif
  token[me] = me ? token[me - 1] : token[2] + 1;
  done[me] = 1;
  return NULL;
}

static void *look(void *unused)
{
  if (done[0] && done[1] && done[2])
    assert(token[0] == token[1] && token[1] == token[2]);
  return unused;
}

int main(void)
{
  for (int i = 0; i < 3; i++)
    start(pass, i);
  start(look, 0);
  wait_for_all();
  look(NULL);
  return 0;
}
