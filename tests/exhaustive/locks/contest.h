/* SPDX-License-Identifier: Apache-2.0
 *
 * A contest for a lock: THREADS threads (2 unless told) enter a critical section ROUNDS times each (1 unless told). The
 * file that includes this defines acquire() and release() first. In the critical section a plain variable says who is
 * in; it must still say so at the end of it, and no increment may be lost.
 */
#ifndef CONTEST_H
#define CONTEST_H

#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

#ifdef QUIET /* for tools that cannot print */
#define printf(...) ((void)0)
#endif
#ifndef THREADS
#define THREADS 2
#endif
#ifndef ROUNDS
#define ROUNDS 1
#endif

static int owner, entries;

static void *contestant(void *arg)
{
  int me = (int)(intptr_t)arg;

  for (int i = 0; i < ROUNDS; i++) {
    acquire(me);
    owner = me;
    entries++;
    assert(owner == me);
    release(me);
  }
  return NULL;
}

int main(void)
{
  pthread_t thread[THREADS];

  for (int i = 0; i < THREADS; i++)
    pthread_create(&thread[i], NULL, contestant, (void *)(intptr_t)i);
  for (int i = 0; i < THREADS; i++)
    pthread_join(thread[i], NULL);
  assert(entries == THREADS * ROUNDS);
  printf("owner=%d\n", owner);
  return 0;
}

#endif
