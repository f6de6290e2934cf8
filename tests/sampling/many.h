/* SPDX-License-Identifier: Apache-2.0
 *
 * What the programs of this folder share: threads, started one after the other and waited for, and a lock that is there
 * in the twins only.
 */
#ifndef SAMPLING_MANY_H
#define SAMPLING_MANY_H

#include <assert.h>
#include <pthread.h>
#include <stddef.h>

#ifndef N
#define N 3
#endif

#define MANY 128
static pthread_t many[MANY];
static int many_count;

#ifdef FIXED
static pthread_mutex_t repair __attribute__((unused)) = PTHREAD_MUTEX_INITIALIZER;
#define REPAIR_LOCK() pthread_mutex_lock(&repair)
#define REPAIR_UNLOCK() pthread_mutex_unlock(&repair)
#else
#define REPAIR_LOCK() ((void)0)
#define REPAIR_UNLOCK() ((void)0)
#endif

static inline void start(void *(*body)(void *), int number)
{
  assert(many_count < MANY);
  pthread_create(&many[many_count++], NULL, body, (void *)(long)number);
}

static inline void wait_for_all(void)
{
  while (many_count)
    pthread_join(many[--many_count], NULL);
}

#endif
