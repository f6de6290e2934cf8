/* SPDX-License-Identifier: Apache-2.0
 *
 * A mailbox with one slot, a postman with two letters, two readers of one letter each, and a single condition
 * variable for "there is mail" and "there is room". Both readers wait. The postman puts a letter, wakes Ann, and
 * waits for room. Ann takes it and signals; that wakes Bob, who finds nothing and waits again, not the postman.
 * Everybody sleeps. With two kinds of waiters on one condition variable it must be a broadcast.
 *
 * verdict: deadlock
 * threads: 3
 */
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int letters; /* 0 or 1 */

static void tell(void)
{
#ifdef FIXED
  pthread_cond_broadcast(&changed);
#else
  pthread_cond_signal(&changed);
#endif
}

static void put(void)
{
  pthread_mutex_lock(&lock);
  while (letters == 1)
    pthread_cond_wait(&changed, &lock);
  letters = 1;
  tell();
  pthread_mutex_unlock(&lock);
}

static void *reader(void *arg)
{
  pthread_mutex_lock(&lock);
  while (letters == 0)
    pthread_cond_wait(&changed, &lock);
  letters = 0;
  tell();
  pthread_mutex_unlock(&lock);
  return arg;
}

int main(void)
{
  pthread_t ann, bob;

  pthread_create(&ann, NULL, reader, NULL);
  pthread_create(&bob, NULL, reader, NULL);
  put();
  put();
  pthread_join(ann, NULL);
  pthread_join(bob, NULL);
  return 0;
}
