/* SPDX-License-Identifier: Apache-2.0
 *
 * What the programs of this folder share: the number of threads from the command line, and a start of all of them at
 * once. Nobody goes on from the start line before everybody is there, so that a program is not kept from its bug by
 * main, who is slow to create threads. Main itself only waits; it is not counted.
 */
#ifndef COOPERARI_THREADS_H
#define COOPERARI_THREADS_H

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS_DEFAULT = 4, THREADS_MOST = 64 };

typedef void thread_body(int number);

static thread_body *body_of_all;
static pthread_barrier_t start_line;
static int number_of[THREADS_MOST];

static inline int thread_count(int argc, char **argv)
{
  int n = argc > 1 ? atoi(argv[1]) : THREADS_DEFAULT;
  if (n >= 2 && n <= THREADS_MOST)
    return n;
  fprintf(stderr, "usage: %s [THREADS]   (2 to %d)\n", argv[0], THREADS_MOST);
  exit(2);
}

static inline void *run_one(void *number)
{
  pthread_barrier_wait(&start_line);
  body_of_all(*(int *)number);
  return NULL;
}

/* Runs body(0) … body(n - 1), each in a thread of its own, and waits for their end. */
static inline void run_threads(int n, thread_body *body)
{
  pthread_t thread[THREADS_MOST];

  body_of_all = body;
  pthread_barrier_init(&start_line, NULL, (unsigned)n);
  for (int i = 0; i < n; i++) {
    number_of[i] = i;
    if (pthread_create(&thread[i], NULL, run_one, &number_of[i]) != 0)
      abort();
  }
  for (int i = 0; i < n; i++)
    pthread_join(thread[i], NULL);
  pthread_barrier_destroy(&start_line);
}

#endif
