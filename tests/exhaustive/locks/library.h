/* SPDX-License-Identifier: Apache-2.0
 *
 * A library with one book: WRITERS of THREADS threads (1 of 2 unless told) write it, the others read it. The file that
 * includes this defines acquire() and release() for writers, acquire_shared() and release_shared() for readers. Both
 * pages must always be of the same edition, and no edition may be lost.
 */
#ifndef LIBRARY_H
#define LIBRARY_H

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
#ifndef WRITERS
#define WRITERS 1
#endif

static int page[2];

static void *writer(void *arg)
{
  int me = (int)(intptr_t)arg;

  acquire(me);
  page[0]++;
  page[1]++;
  release(me);
  return NULL;
}

static void *reader(void *arg)
{
  int me = (int)(intptr_t)arg;

  acquire_shared(me);
  int left = page[0], right = page[1];
  assert(left == right);
  release_shared(me);
  return (void *)(intptr_t)left;
}

int main(void)
{
  pthread_t thread[THREADS];

  for (int i = 0; i < THREADS; i++)
    pthread_create(&thread[i], NULL, i < WRITERS ? writer : reader, (void *)(intptr_t)i);
  for (int i = 0; i < THREADS; i++) {
    void *seen;
    pthread_join(thread[i], &seen);
    printf("%d ", (int)(intptr_t)seen);
  }
  assert(page[0] == WRITERS && page[1] == WRITERS);
  printf("\n");
  return 0;
}

#endif
