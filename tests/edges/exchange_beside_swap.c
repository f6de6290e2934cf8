/* SPDX-License-Identifier: Apache-2.0
 *
 * An exchange waits for its turn while another thread stands before a compare-and-swap that will fail: what that one
 * looks for is no business of the exchange's. The first swap comes first, the reader sees what it wrote, then comes the
 * exchange, then the swap that fails.
 *
 * verdict: found
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y;
static int seen, before, failed;

static void *reader(void *arg)
{
  seen = atomic_load(&x);
  return arg;
}

static void *swapper(void *arg)
{
  int expected = 0;
  atomic_compare_exchange_strong(&x, &expected, 2);
  atomic_load(&x);
  failed = 3;
  atomic_compare_exchange_strong(&x, &failed, 4);
  return arg;
}

static void *exchanger(void *arg)
{
  before = atomic_exchange(&x, 5);
  atomic_store(&y, 6);
  return arg;
}

int main(void)
{
  void *(*const body[])(void *) = {reader, swapper, exchanger};
  pthread_t thread[3];
  for (int i = 0; i < 3; i++)
    pthread_create(&thread[i], NULL, body[i], NULL);
  for (int i = 0; i < 3; i++)
    pthread_join(thread[i], NULL);
  assert(!(seen == 2 && before == 2 && failed == 5));
  return 0;
}
