/* SPDX-License-Identifier: Apache-2.0
 *
 * No race, whatever locksets say: a message is handed over and acknowledged by an atomic flag, with release and acquire.
 * Its twin does the same with a lock and a condition variable.
 *
 * verdict: none
 * truth: races=0 deadlocks=0
 * foretold: races=0 proven=0 atomicity=0
 */
#include <pthread.h>
#include <stdatomic.h>

static int message;
#ifdef FIXED
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int turn;

static void await(int number)
{
  pthread_mutex_lock(&lock);
  while (turn != number)
    pthread_cond_wait(&changed, &lock);
  pthread_mutex_unlock(&lock);
}

static void announce(int number)
{
  pthread_mutex_lock(&lock);
  turn = number;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&lock);
}
#else
#include <sched.h>
static atomic_int turn;

static void await(int number)
{
  while (atomic_load_explicit(&turn, memory_order_acquire) != number)
    sched_yield();
}

static void announce(int number)
{
  atomic_store_explicit(&turn, number, memory_order_release);
}
#endif

static void *send(void *unused)
{
  message = 1;
  announce(1);
  await(2);
  message = 3;
  return unused;
}

int main(void)
{
  pthread_t sender;
  pthread_create(&sender, NULL, send, NULL);
  await(1);
  message = 2;
  announce(2);
  pthread_join(sender, NULL);
  return message != 3;
}
