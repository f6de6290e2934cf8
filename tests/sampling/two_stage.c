/* SPDX-License-Identifier: Apache-2.0
 *
 * N threads write in two stages, each under a lock of its own; a reader that comes between the stages sees the first
 * and not the second.
 *
 * verdict: assertion
 */
#include "many.h"

static pthread_mutex_t first_lock = PTHREAD_MUTEX_INITIALIZER, second_lock = PTHREAD_MUTEX_INITIALIZER;
static int first, second;

static void *writer(void *unused)
{
  REPAIR_LOCK();
  pthread_mutex_lock(&first_lock);
  first = 1;
  pthread_mutex_unlock(&first_lock);
  pthread_mutex_lock(&second_lock);
  second = first + 1;
  pthread_mutex_unlock(&second_lock);
  REPAIR_UNLOCK();
  return unused;
}

static void *reader(void *unused)
{
  REPAIR_LOCK();
  pthread_mutex_lock(&first_lock);
  int one = first;
  pthread_mutex_unlock(&first_lock);
  pthread_mutex_lock(&second_lock);
  int two = second;
  pthread_mutex_unlock(&second_lock);
  REPAIR_UNLOCK();
  assert(one == 0 || two == one + 1);
  return unused;
}

int main(void)
{
  for (int i = 0; i < N; i++)
    start(writer, i);
  start(reader, 0);
  wait_for_all();
  return 0;
}
