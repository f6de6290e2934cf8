/* SPDX-License-Identifier: Apache-2.0
 *
 * Customers look whether there is stock, then take a piece; both are locked, but not together. When the stock comes to its
 * end, two take the last one.
 *
 * verdict: assertion
 * blame: R W R stock
 */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int stock = 3, takings;

static int in_stock(void)
{
  pthread_mutex_lock(&lock);
  int n = stock; /* <1> */
  pthread_mutex_unlock(&lock);
  return n;
}

static int take(void)
{
  pthread_mutex_lock(&lock);
  int enough = stock > 0; /* <3> */
#ifndef FIXED
  assert(enough);
#endif
  stock -= enough; /* <2> */
  takings += enough;
  pthread_mutex_unlock(&lock);
  return enough;
}

static void *customer(void *arg)
{
  while (in_stock() > 0)
    take();
  return arg;
}

int main(void)
{
  pthread_t thread[2];

  for (int i = 0; i < 2; i++)
    pthread_create(&thread[i], NULL, customer, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(thread[i], NULL);
  assert(takings == 3);
  return 0;
}
