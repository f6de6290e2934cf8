/* SPDX-License-Identifier: Apache-2.0
 *
 * A visitor looks up the session and counts a hit in it, while the session is closed. Looking up and closing are
 * both atomic, but the visitor has the pointer in his hand when the session is freed, and writes into freed memory.
 * In the twin, a lock covers the use as well as the lookup.
 *
 * verdict: memory
 * also: race
 * threads: 2
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct session {
  int hits;
};

static _Atomic(struct session *) current;

#ifdef FIXED
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
#endif

static void *visit(void *arg)
{
#ifdef FIXED
  pthread_mutex_lock(&lock);
#endif
  struct session *session = current;
  if (session != NULL)
    session->hits++;
#ifdef FIXED
  pthread_mutex_unlock(&lock);
#endif
  return arg;
}

static void close_session(void)
{
#ifdef FIXED
  pthread_mutex_lock(&lock);
#endif
  free(atomic_exchange(&current, NULL));
#ifdef FIXED
  pthread_mutex_unlock(&lock);
#endif
}

int main(void)
{
  pthread_t visitor;

  current = calloc(1, sizeof *current);
  assert(current != NULL);
  pthread_create(&visitor, NULL, visit, NULL);
  close_session();
  pthread_join(visitor, NULL);
  return 0;
}
