/* SPDX-License-Identifier: Apache-2.0
 *
 * What subjects say about their conditions. With -DUNANNOTATED they say nothing, and conditions must be inferred.
 *
 * With -DDIVERGING their threads do not come along the same way in another schedule: where arrive() takes its lock depends on
 * whether main is through with settle(), as it is when a thread runs until it blocks, and hardly ever otherwise. What was
 * recorded cannot be followed step by step then.
 */
#include <heddle.h>

#ifdef UNANNOTATED
#undef HD__SAY
#define HD__SAY(function, arguments) ((void)0)
#endif

#ifdef DIVERGING
#include <pthread.h>
#include <stdatomic.h>

#define SETTLED 200

static pthread_mutex_t arrivals = PTHREAD_MUTEX_INITIALIZER;
static atomic_int settled;

static inline void arrive(void)
{
  if (atomic_load(&settled) == SETTLED) {
    pthread_mutex_lock(&arrivals);
    pthread_mutex_unlock(&arrivals);
  } else {
    pthread_mutex_lock(&arrivals);
    pthread_mutex_unlock(&arrivals);
  }
}

static inline void settle(void)
{
  for (int i = 0; i < SETTLED; i++)
    atomic_fetch_add(&settled, 1);
}
#else
#define arrive() ((void)0)
#define settle() ((void)0)
#endif
