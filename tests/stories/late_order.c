/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether the kitchen is open is asked before the lock is taken under which the order is put down.
 * tell: bug +a check no longer holds when the thread acts on it: T\d reads `closed` at \S+ \(0\) and writes `orders` at
 * tell: fix +T\d must look at `closed` with `counter` held
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static pthread_mutex_t counter = PTHREAD_MUTEX_INITIALIZER;
static atomic_int closed;
static int orders, cooked;

static void *order(void *arg)
{
#ifdef FIXED
  pthread_mutex_lock(&counter);
  if (!atomic_load(&closed))
    orders++;
  pthread_mutex_unlock(&counter);
#else
  if (!atomic_load(&closed)) {
    pthread_mutex_lock(&counter);
    orders++;
    pthread_mutex_unlock(&counter);
  }
#endif
  return arg;
}

static void *cook(void *arg)
{
  pthread_mutex_lock(&counter);
  atomic_store(&closed, 1);
  cooked = orders;
  pthread_mutex_unlock(&counter);
  return arg;
}

int main(void)
{
  pthread_t guest, kitchen;
  pthread_create(&guest, NULL, order, NULL);
  pthread_create(&kitchen, NULL, cook, NULL);
  pthread_join(guest, NULL);
  pthread_join(kitchen, NULL);
  assert(cooked == orders);
}
