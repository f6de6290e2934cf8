/* SPDX-License-Identifier: Apache-2.0
 *
 * The threads of a program that runs freely: their names, and whether they are blocked.
 */
#ifndef HEDDLE_ENFORCE_ORDER_THREADS_H
#define HEDDLE_ENFORCE_ORDER_THREADS_H

#include "core/ordering.h"
#include <pthread.h>
#include <stddef.h>
#include <threads.h>

#define ORDER_THREADS_MOST 1024 /* that are known; while a schedule is kept, no place is used twice */

struct property_hold; /* property_keeping.h */

struct order_thread {
  int tid; /* 0 until it runs */
  bool ended;
  const char *waits_in;             /* the call that it is in, NULL for none */
  bool timed;                       /* and that ends by itself, or by somebody outside */
  uintptr_t waits_for;              /* its first argument */
  const pthread_mutex_t *mutex;     /* that it takes, or takes back; NULL: none */
  unsigned held;                    /* before this event, from 1 */
  const struct property_hold *hold; /* where a property holds it, NULL: nowhere */
  uint64_t moves;                   /* grows with what it does that we see */
  uint64_t read;                    /* how many of its events properties have read */
  uint64_t holds;                   /* how often a property held it */
  char name[ORDERING_THREAD];
  char path[ORDERING_THREAD]; /* the name that it has by who created it */
  char next[ORDERING_THREAD]; /* of the thread that it creates next */
  unsigned children;          /* so far */
  pthread_t id;
  void *(*body)(void *);
  int (*c11_body)(void *); /* instead, of a thread of threads.h */
  void *arg;
};

/* The calling thread, NULL if there is no place left for it. */
struct order_thread *order_self(void);
/* Whether the calling thread is between its start and its end, as far as that is known: before and after, a sanitizer
 * knows nothing of it. */
bool order_thread_runs(void);
unsigned order_thread_count(void);
struct order_thread *order_thread(unsigned number);
/* Whether it is in a call that waits for others, and sleeps. */
bool order_thread_is_blocked(const struct order_thread *thread);
/* Whether it is in such a call, be it only on its way. */
bool order_thread_may_block(const struct order_thread *thread);

/* Numbers from 1, as thread() of properties gives them; 0 and NULL: there is none. */
unsigned order_thread_number(const struct order_thread *thread);
struct order_thread *order_thread_named(const char *name);
/* For people: its name, or its number. */
const char *order_thread_text(const struct order_thread *thread, char *out, size_t size);

/* Somebody wants to know of threads: from now on they are watched. */
void order_watch_threads(void);
bool order_watches(void);
/* In a child of fork(), where the calling thread is the only one. */
void order_threads_forked(void);
/* Before the program creates threads: those that are there although the program created none are of a sanitizer, say;
 * nobody waits for what they do. */
void order_threads_note_strangers(void);
/* The calling thread is ours. */
void order_thread_is_ours(void);

/* Whether every other thread of the process is held, or blocked with nobody but other threads to end it. */
bool order_all_stand(void);

void order_threads_begin(void);

#endif
