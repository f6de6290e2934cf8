/* SPDX-License-Identifier: Apache-2.0
 *
 * Two chopsticks in a cup: each of two guests takes one and waits for another one.
 * tell: bug +each thread holds a part of what they share and waits for more of it: T\d has taken from `cup` at
 * tell: fix +take all that is needed in one step
 */
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

static sem_t cup;
static pthread_mutex_t table = PTHREAD_MUTEX_INITIALIZER;

static void *eat(void *arg)
{
#ifdef FIXED
  pthread_mutex_lock(&table);
#endif
  sem_wait(&cup);
  sem_wait(&cup);
#ifdef FIXED
  pthread_mutex_unlock(&table);
#endif
  sem_post(&cup);
  sem_post(&cup);
  return arg;
}

int main(void)
{
  pthread_t left, right;
  (void)table;
  sem_init(&cup, 0, 2);
  pthread_create(&left, NULL, eat, NULL);
  pthread_create(&right, NULL, eat, NULL);
  pthread_join(left, NULL);
  pthread_join(right, NULL);
}
