/* SPDX-License-Identifier: Apache-2.0
 *
 * A thread tells others where its thread-local counter is, and ends.
 *
 * verdict: found
 * kind: memory
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static _Thread_local atomic_int counter;
static atomic_int *_Atomic told;

static void *count(void *unused)
{
  counter = 1;
  told = &counter;
  return unused;
}

static void *look(void *unused)
{
  atomic_int *there = told;
  if (there && *there > 1)
    return NULL;
  return unused;
}

int main(void)
{
  pthread_t counting, looking;
  pthread_create(&counting, NULL, count, NULL);
  pthread_create(&looking, NULL, look, NULL);
  pthread_join(counting, NULL);
  pthread_join(looking, NULL);
  return 0;
}
