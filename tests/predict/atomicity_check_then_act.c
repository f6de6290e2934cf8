/* SPDX-License-Identifier: Apache-2.0
 *
 * Every access of the seat is locked, so there is no data race. But the customer looks whether it is free in one section
 * and takes it in the next; when the manager blocks the seat in between, the customer overwrites that. Nothing that the
 * manager does rests on the customer, so a run in which it comes last proves that it could come between. Fixed: one
 * section.
 *
 * verdict: assertion
 * truth: races=0 deadlocks=0 atomicity=1
 * foretold: races=0 proven=0 atomicity=1
 */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>

enum { FREE, TAKEN, BLOCKED };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int seat = FREE;

static void *buy(void *unused)
{
  pthread_mutex_lock(&lock);
  bool is_free = seat == FREE;
#ifndef FIXED
  pthread_mutex_unlock(&lock);
  pthread_mutex_lock(&lock);
#endif
  if (is_free)
    seat = TAKEN;
  pthread_mutex_unlock(&lock);
  return unused;
}

static void *block(void *unused)
{
  pthread_mutex_lock(&lock);
  seat = BLOCKED;
  pthread_mutex_unlock(&lock);
  return unused;
}

int main(void)
{
  pthread_t customer, manager;
  pthread_create(&customer, NULL, buy, NULL);
  pthread_create(&manager, NULL, block, NULL);
  pthread_join(customer, NULL);
  pthread_join(manager, NULL);
  assert(seat == BLOCKED);
  return 0;
}
