/* SPDX-License-Identifier: Apache-2.0
 *
 * Pattern 1: a list that is shared is walked through under a lock; not bounded if that is released in the loop.
 */
#include "creation.h"
#include <sys/queue.h>

struct p1b_item {
  LIST_ENTRY(p1b_item) link;
};
static LIST_HEAD(, p1b_item) p1b_list;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

void start_all_locked(void)
{
  struct p1b_item *item;
  pthread_mutex_lock(&mutex);
  LIST_FOREACH(item, &p1b_list, link) /* = bounded 1 */
    create();
  pthread_mutex_unlock(&mutex);
}

void start_all_dropping(void)
{
  struct p1b_item *item;
  pthread_mutex_lock(&mutex);
  LIST_FOREACH(item, &p1b_list, link) { /* = possible, the lock is released in the loop */
    pthread_mutex_unlock(&mutex);
    create();
    pthread_mutex_lock(&mutex);
  }
  pthread_mutex_unlock(&mutex);
}
