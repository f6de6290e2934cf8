/* SPDX-License-Identifier: Apache-2.0
 *
 * Transfers between accounts that read both before they lock: money is lost or made.
 */
#include <assert.h>
#include <pthread.h>

#define ACCOUNTS 4
#define THREADS 8
#define CALLS 6

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int account[ACCOUNTS] = {100, 100, 100, 100};

__attribute__((noinline)) static void bank_transfer(unsigned from, unsigned to, int amount)
{
#ifdef FIXED
  pthread_mutex_lock(&lock);
#endif
  int left = account[from] - amount, more = account[to] + amount;
#ifndef FIXED
  pthread_mutex_lock(&lock);
#endif
  account[from] = left;
  account[to] = more;
  pthread_mutex_unlock(&lock);
}

static void *clerk(void *arg)
{
  unsigned me = (unsigned)(unsigned long)arg;
  for (unsigned i = 0; i < CALLS; i++)
    bank_transfer((me + i) % ACCOUNTS, (me + i + 1) % ACCOUNTS, 1 + (int)i);
  return NULL;
}

int main(void)
{
  pthread_t thread[THREADS];
  int sum = 0;
  for (unsigned long i = 0; i < THREADS; i++)
    pthread_create(&thread[i], NULL, clerk, (void *)i);
  for (int i = 0; i < THREADS; i++)
    pthread_join(thread[i], NULL);
  for (int i = 0; i < ACCOUNTS; i++)
    sum += account[i];
  assert(sum == 100 * ACCOUNTS);
  return 0;
}
