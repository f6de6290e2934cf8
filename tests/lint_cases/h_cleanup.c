/* SPDX-License-Identifier: Apache-2.0
 *
 * A lock that the end of a variable may release is not kept.
 */
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int total;

static void release(pthread_mutex_t **held)
{
  if (*held)
    pthread_mutex_unlock(*held);
}

#define RELEASED __attribute__((cleanup(release)))

int adds(int more)
{
  pthread_mutex_t *held RELEASED = &mutex;
  pthread_mutex_lock(&mutex);
  if (more < 0)
    return -1; /* right lock-kept */
  total += more;
  pthread_mutex_unlock(&mutex);
  held = NULL;
  return 0;
}

int adds_without(int more)
{
  int unused __attribute__((unused)) = 0;
  pthread_mutex_lock(&mutex);
  if (more < 0)
    return -1; /* ! lock-kept */
  total += more;
  pthread_mutex_unlock(&mutex);
  return 0;
}
