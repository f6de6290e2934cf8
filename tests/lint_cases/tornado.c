/* SPDX-License-Identifier: Apache-2.0
 *
 * The motivating case: the pool is filled up to a minimum, which others take from; the outer loop is to blame.
 */
#include "creation.h"
#include <stdbool.h>

extern int pool_idle(void);

static void add(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
}

static void spawn(int n)
{
  for (int i = 0; i < n; i++) /* = bounded 5; i < n */
    add();
}

void run(int minIdle)
{
  while (true) { /* = possible, 'idle' is assigned from a call (pool_idle()); idle < minIdle */
    int idle = pool_idle();
    if (idle < minIdle)
      spawn(minIdle - idle);
  }
}
