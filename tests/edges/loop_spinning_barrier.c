/* SPDX-License-Identifier: Apache-2.0
 *
 * Main and a thread meet twice at a barrier that spins. What earlier executions left between the frames of their stacks is no
 * part of what they hold, so the number of classes is the same however the program is put back to its start: who comes last, twice.
 *
 * verdict: complete
 * expect-text: 4 executions
 * options: --reset snapshot
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int missing = 2, sense;

static void meet(int *own)
{
  *own = !*own;
  if (atomic_fetch_sub(&missing, 1) == 1) {
    missing = 2;
    sense = *own;
  } else {
    while (sense != *own)
      ;
  }
}

static void *partner(void *unused)
{
  int own = 0;
  meet(&own);
  meet(&own);
  return unused;
}

int main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, partner, NULL);
  partner(NULL);
  pthread_join(thread, NULL);
  return 0;
}
