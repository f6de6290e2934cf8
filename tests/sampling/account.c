/* SPDX-License-Identifier: Apache-2.0
 *
 * One thread pays in, one takes out, and a third one checks the balance when both say that they are done; the second
 * one says so before it is.
 *
 * verdict: assertion
 */
#include "many.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int balance = 10, paid, took;

static void *pay_in(void *unused)
{
  pthread_mutex_lock(&lock);
  balance += 5;
  paid = 1;
  pthread_mutex_unlock(&lock);
  return unused;
}

static void *take_out(void *unused)
{
  pthread_mutex_lock(&lock);
#ifndef FIXED
  took = 1;
  pthread_mutex_unlock(&lock);
  pthread_mutex_lock(&lock);
#endif
  balance -= 3;
  took = 1;
  pthread_mutex_unlock(&lock);
  return unused;
}

static void *check(void *unused)
{
  pthread_mutex_lock(&lock);
  if (paid && took)
    assert(balance == 12);
  pthread_mutex_unlock(&lock);
  return unused;
}

int main(void)
{
  start(check, 0);
  start(pay_in, 0);
  start(take_out, 0);
  wait_for_all();
  return 0;
}
