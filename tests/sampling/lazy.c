/* SPDX-License-Identifier: Apache-2.0
 *
 * Two threads add one and two, a third one takes it for granted that it comes before one of them.
 *
 * verdict: assertion
 */
#include "many.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int data;

static void *add(void *number)
{
  pthread_mutex_lock(&lock);
  data += (int)(long)number;
  pthread_mutex_unlock(&lock);
  return NULL;
}

static void *check(void *unused)
{
  pthread_mutex_lock(&lock);
#ifndef FIXED
  assert(data < 3);
#else
  assert(data <= 3);
#endif
  pthread_mutex_unlock(&lock);
  return unused;
}

int main(void)
{
  start(check, 0);
  start(add, 1);
  start(add, 2);
  wait_for_all();
  return 0;
}
