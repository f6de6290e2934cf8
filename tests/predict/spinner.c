/* SPDX-License-Identifier: Apache-2.0
 *
 * Opposite orders that never meet: the second thread spins, without a lock, until the first has finished. A circle is
 * predicted, since memory is not looked at. Who holds the first thread back inside it waits for a second one that spins
 * for ever, and nobody is ever blocked: only a watchdog ends that.
 *
 * There is no bug, and no twin.
 *
 * verdict: none
 * threads: 3
 * predicted: 1
 * real: 0
 */
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t left = PTHREAD_MUTEX_INITIALIZER, right = PTHREAD_MUTEX_INITIALIZER;
static atomic_int finished;

static void *leader(void *arg)
{
  pthread_mutex_lock(&left);
  pthread_mutex_lock(&right);
  pthread_mutex_unlock(&right);
  pthread_mutex_unlock(&left);
  atomic_store(&finished, 1);
  return arg;
}

static void *spinner(void *arg)
{
  while (!atomic_load(&finished))
    ;
  pthread_mutex_lock(&right);
  pthread_mutex_lock(&left);
  pthread_mutex_unlock(&left);
  pthread_mutex_unlock(&right);
  return arg;
}

int main(void)
{
  pthread_t a, b;

  pthread_create(&a, NULL, leader, NULL);
  pthread_create(&b, NULL, spinner, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}
