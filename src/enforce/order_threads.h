/* SPDX-License-Identifier: Apache-2.0
 *
 * The threads of a test that runs freely: their names, and whether they are blocked.
 */
#ifndef HEDDLE_ENFORCE_ORDER_THREADS_H
#define HEDDLE_ENFORCE_ORDER_THREADS_H

#include "core/ordering.h"
#include <pthread.h>
#include <threads.h>

#define ORDER_THREADS_MOST 1024 /* that are known; no place is used twice */

struct order_thread {
  int tid; /* 0 until it runs */
  bool ended;
  const char *waits_in;         /* the call that it is in, NULL for none */
  bool timed;                   /* and that ends by itself, or by somebody outside */
  const pthread_mutex_t *mutex; /* that it takes, or takes back; NULL: none */
  unsigned held;                /* before this event, from 1 */
  char name[ORDERING_THREAD];
  char path[ORDERING_THREAD]; /* the name that it has by who created it */
  char next[ORDERING_THREAD]; /* of the thread that it creates next */
  unsigned children;          /* so far */
  void *(*body)(void *);
  void *result;
  thrd_start_t standard_body; /* instead, of C11 */
  int standard_result;
  void *arg;
};

/* The calling thread, NULL if there is no place left for it. */
struct order_thread *order_self(void);
unsigned order_thread_count(void);
struct order_thread *order_thread(unsigned number);
/* Whether it is in a call that waits for others, and sleeps. */
bool order_thread_is_blocked(const struct order_thread *thread);
/* Whether it is in such a call, be it only on its way. */
bool order_thread_may_block(const struct order_thread *thread);

/* Whether every other thread of the process is held, or blocked with nobody but other threads to end it. */
bool order_all_stand(void);

/* The calling thread is none of the test's. */
void order_thread_is_ours(void);

void order_threads_begin(void);

#endif
