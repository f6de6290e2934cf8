/* SPDX-License-Identifier: Apache-2.0
 *
 * Two updates whose results nobody uses, and yet their order shows: who comes second knows what the first one did
 * before. The reader comes late enough to find the message written (ready), but ready is relaxed: only if it counts
 * itself in after the writer did, it has the message for sure. If it did so before, the two accesses race.
 *
 * verdict: found
 * kind: race
 * options: --races fail
 */
#include <pthread.h>
#include <stdatomic.h>

static atomic_int count, ready;
static int message;

static void *writer(void *unused)
{
  message = 1;
  atomic_store_explicit(&ready, 1, memory_order_relaxed);
  atomic_fetch_add(&count, 1);
  return unused;
}

static void *reader(void *unused)
{
  atomic_fetch_add(&count, 1);
  if (atomic_load_explicit(&ready, memory_order_relaxed))
    message++;
  return unused;
}

int main(void)
{
  pthread_t one, two;
  pthread_create(&one, NULL, writer, NULL);
  pthread_create(&two, NULL, reader, NULL);
  pthread_join(one, NULL);
  pthread_join(two, NULL);
  return message < 0;
}
