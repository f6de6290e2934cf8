/* SPDX-License-Identifier: Apache-2.0
 *
 * Two clerks count the same hundred shelves without a lock: a hundred data races in one execution, more than are kept. Then
 * one of them finds that the other has closed the shop. That is the bug, and it must be told whatever the number of races.
 *
 * -DFIXED: shelves are counted with the lock, and nobody minds that the shop is closed.
 */
#include <assert.h>
#include <pthread.h>

#define TEN(what, n) what(n##0) what(n##1) what(n##2) what(n##3) what(n##4) \
                     what(n##5) what(n##6) what(n##7) what(n##8) what(n##9)
#define ALL(what) TEN(what, 1) TEN(what, 2) TEN(what, 3) TEN(what, 4) TEN(what, 5) \
                  TEN(what, 6) TEN(what, 7) TEN(what, 8) TEN(what, 9)
#define SHELF(n) static int shelf##n;
#define COUNT(n) shelf##n++;

ALL(SHELF)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int closed;

static void enter(void)
{
#ifdef FIXED
  pthread_mutex_lock(&lock);
#endif
}

static void leave(void)
{
#ifdef FIXED
  pthread_mutex_unlock(&lock);
#endif
}

static void *first_clerk(void *arg)
{
  enter();
  ALL(COUNT)
  closed = 1;
  leave();
  return arg;
}

static void *second_clerk(void *arg)
{
  enter();
  ALL(COUNT)
#ifndef FIXED
  assert(!closed);
#endif
  leave();
  return arg;
}

int main(void)
{
  pthread_t thread[2];
  pthread_mutex_lock(&lock);
  pthread_mutex_unlock(&lock);
  pthread_create(&thread[0], NULL, first_clerk, NULL);
  pthread_create(&thread[1], NULL, second_clerk, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(thread[i], NULL);
  return 0;
}
