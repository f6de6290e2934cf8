/* SPDX-License-Identifier: Apache-2.0
 *
 * Three gets and a put, where the property says get* put: the put may come at once, and then no get may follow. Letting
 * it through is the mistake; heddle enforce --explore finds the order.
 */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static int cell = 1;

int get(void)
{
  return __atomic_load_n(&cell, __ATOMIC_SEQ_CST);
}

void put(int value)
{
  __atomic_store_n(&cell, value, __ATOMIC_SEQ_CST);
}

static void *putter(void *unused)
{
  put(2);
  return unused;
}

static void *getter(void *unused)
{
  usleep(20000);
  for (int i = 0; i < 3; i++)
    printf("got %d\n", get());
  return unused;
}

int main(void)
{
  pthread_t thread[2];
  pthread_create(&thread[0], NULL, putter, NULL);
  pthread_create(&thread[1], NULL, getter, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(thread[i], NULL);
  return 0;
}
