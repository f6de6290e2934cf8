/* SPDX-License-Identifier: Apache-2.0
 *
 * Two cash machines withdraw from one account, and neither takes the lock. `balance -= amount` is a read and a
 * write: the first machine reads 100, the second reads 100 and writes 70, the first writes 80. The bank has just
 * given away 30.
 *
 * verdict: assertion
 * also: race
 * threads: 3
 */
#include <assert.h>
#include <pthread.h>

static int balance = 100;

#ifdef FIXED
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
#endif

static void *withdraw(void *amount)
{
#ifdef FIXED
  pthread_mutex_lock(&lock);
#endif
  balance -= *(int *)amount;
#ifdef FIXED
  pthread_mutex_unlock(&lock);
#endif
  return NULL;
}

int main(void)
{
  pthread_t machine[2];
  int amount[2] = {20, 30};

  for (int i = 0; i < 2; i++)
    pthread_create(&machine[i], NULL, withdraw, &amount[i]);
  for (int i = 0; i < 2; i++)
    pthread_join(machine[i], NULL);
  assert(balance == 50);
  return 0;
}
