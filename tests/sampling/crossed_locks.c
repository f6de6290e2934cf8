/* SPDX-License-Identifier: Apache-2.0
 *
 * Two locks, taken in one order by one thread and in the other by another.
 *
 * verdict: deadlock
 */
#include "many.h"

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;

static void *take_both(void *number)
{
#ifdef FIXED
  number = NULL;
#endif
  pthread_mutex_lock(number ? &b : &a);
  pthread_mutex_lock(number ? &a : &b);
  pthread_mutex_unlock(&a);
  pthread_mutex_unlock(&b);
  return NULL;
}

int main(void)
{
  start(take_both, 0);
  start(take_both, 1);
  wait_for_all();
  return 0;
}
