/* SPDX-License-Identifier: Apache-2.0
 *
 * Every access to the balance is locked, so there is no data race, yet money is lost: the lock is released between
 * looking at the balance and setting it. Both tellers look and see 100; one sets 110, the other sets 120. The
 * deposit of 10 has vanished.
 *
 * verdict: assertion
 * threads: 3
 */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int balance = 100;

static void *deposit(void *amount)
{
  pthread_mutex_lock(&lock);
  int seen = balance;
#ifndef FIXED
  pthread_mutex_unlock(&lock); /* what was seen grows stale from here on */
  pthread_mutex_lock(&lock);
#endif
  balance = seen + *(int *)amount;
  pthread_mutex_unlock(&lock);
  return NULL;
}

int main(void)
{
  pthread_t teller[2];
  int amount[2] = {10, 20};

  for (int i = 0; i < 2; i++)
    pthread_create(&teller[i], NULL, deposit, &amount[i]);
  for (int i = 0; i < 2; i++)
    pthread_join(teller[i], NULL);
  assert(balance == 130);
  return 0;
}
