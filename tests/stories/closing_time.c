/* SPDX-License-Identifier: Apache-2.0
 *
 * The barkeeper joins a guest with the lock in hand that the guest needs to be told of closing time.
 * tell: bug +a thread waits and keeps a lock that others need: main locks `bar` at \S+ and keeps it while it
 * tell: fix +main must unlock `bar` before it joins T1
 */
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

static pthread_mutex_t bar = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t bell = PTHREAD_COND_INITIALIZER;
static bool closing;

static void *drink(void *arg)
{
  pthread_mutex_lock(&bar);
  while (!closing)
    pthread_cond_wait(&bell, &bar);
  pthread_mutex_unlock(&bar);
  return arg;
}

int main(void)
{
  pthread_t guest;
  pthread_create(&guest, NULL, drink, NULL);
  pthread_mutex_lock(&bar);
  closing = true;
  pthread_cond_broadcast(&bell);
#ifdef FIXED
  pthread_mutex_unlock(&bar);
  pthread_join(guest, NULL);
#else
  pthread_join(guest, NULL);
  pthread_mutex_unlock(&bar);
#endif
}
