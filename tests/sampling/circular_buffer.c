/* SPDX-License-Identifier: Apache-2.0
 *
 * A ring of two cells: who sends looks whether there is room, and takes the cell a step later, so that two who send
 * take the last one both, and one message is lost.
 *
 * verdict: assertion
 */
#include "many.h"
#include <stdatomic.h>

#define CELLS 2
static atomic_int count, next, cell[CELLS], sent;

static void *send(void *number)
{
  REPAIR_LOCK();
  if (count < CELLS) {
    int mine = next;
    cell[mine] = (int)(long)number;
    next = (mine + 1) % CELLS;
    count++;
    sent++;
  }
  REPAIR_UNLOCK();
  return NULL;
}

int main(void)
{
  for (int i = 1; i <= 3; i++)
    start(send, i);
  wait_for_all();
  int found = 0;
  for (int i = 0; i < CELLS; i++)
    found += cell[i] != 0;
  assert(found == sent);
  return 0;
}
