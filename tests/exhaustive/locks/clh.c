/* SPDX-License-Identifier: Apache-2.0
 *
 * The queue lock of Craig, Landin and Hagersten: each thread spins on the node of its predecessor, and takes that node
 * over as its own afterwards. BROKEN: it keeps its own node, and when it comes back before its successor has looked,
 * the two wait for each other.
 *
 * broken: hang
 */
#include <stdatomic.h>

#define ROUNDS 2

static atomic_int busy[4];         /* nodes; 0 is the one the queue begins with */
static atomic_int tail;            /* the last node in the queue */
static int mine[4] = {1, 2, 3, 4}; /* each thread's own node */
static int ahead[4];               /* and its predecessor's */

static void acquire(int me)
{
  atomic_store(&busy[mine[me]], 1);
  ahead[me] = atomic_exchange(&tail, mine[me]);
  while (atomic_load(&busy[ahead[me]]))
    ;
}

static void release(int me)
{
  int node = mine[me];
#ifndef BROKEN
  mine[me] = ahead[me];
#endif
  atomic_store(&busy[node], 0);
}

#include "contest.h"
