/* SPDX-License-Identifier: Apache-2.0
 *
 * What the programs of this folder do besides: steps that no change is about, and of which there are many orders. */
#ifndef ORDINARY_H
#define ORDINARY_H

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;
static int logged;

static inline void log_line(void)
{
  pthread_mutex_lock(&log_lock);
  logged++;
  pthread_mutex_unlock(&log_lock);
}

/* What the program counts about itself; UNTOUCHED is how that was before a change that has nothing to do with the
 * fault. */
static inline void count_line(void)
{
#ifdef UNTOUCHED
  pthread_mutex_lock(&log_lock);
  logged++;
  pthread_mutex_unlock(&log_lock);
#else
  pthread_mutex_lock(&log_lock);
  int before = logged;
  logged = before + 1;
  pthread_mutex_unlock(&log_lock);
#endif
}

static inline void run_threads(void *(*const body[])(void *), int count)
{
  pthread_t thread[8];
  for (int i = 0; i < count; i++)
    pthread_create(&thread[i], NULL, body[i], NULL);
  for (int i = 0; i < count; i++)
    pthread_join(thread[i], NULL);
}

#define RUN(...)                                                                                                       \
  run_threads((void *(*const[])(void *)){__VA_ARGS__}, sizeof((void *(*const[])(void *)){__VA_ARGS__}) / sizeof(void *))

#endif
