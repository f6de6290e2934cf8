/* SPDX-License-Identifier: Apache-2.0
 *
 * Account: transfer locks the account the money comes from, and not the one it goes to.
 */
#include "harness.h"

#define ACCOUNTS 4u

static struct {
  pthread_mutex_t lock;
  long amount;
} account[ACCOUNTS];
static atomic_long paid_in;

static void make(void)
{
  for (unsigned i = 0; i < ACCOUNTS; i++) {
    pthread_mutex_init(&account[i].lock, NULL);
    account[i].amount = 100;
  }
  paid_in = 100 * ACCOUNTS;
}

static void deposit(unsigned which, unsigned amount)
{
  pthread_mutex_lock(&account[which].lock);
  account[which].amount += amount + 1;
  pthread_mutex_unlock(&account[which].lock);
  paid_in += amount + 1;
}

static void withdraw(unsigned which, unsigned amount)
{
  pthread_mutex_lock(&account[which].lock);
  bool enough = account[which].amount > (long)amount;
  if (enough)
    account[which].amount -= amount + 1;
  pthread_mutex_unlock(&account[which].lock);
  if (enough)
    paid_in -= amount + 1;
}

static void transfer(unsigned from, unsigned to)
{
  if (from == to)
    return;
#ifdef FIXED
  pthread_mutex_lock(&account[from < to ? from : to].lock); /* both, in one order */
  pthread_mutex_lock(&account[from < to ? to : from].lock);
#else
  pthread_mutex_lock(&account[from].lock);
#endif
  account[from].amount -= 10;
  account[to].amount += 10;
#ifdef FIXED
  pthread_mutex_unlock(&account[to].lock);
#endif
  pthread_mutex_unlock(&account[from].lock);
}

static void check(void)
{
  long sum = 0;
  for (unsigned i = 0; i < ACCOUNTS; i++)
    sum += account[i].amount;
  assert(sum == paid_in);
}

HD_STRESS(make, check, 100, 100, HD_OPERATION(deposit, ACCOUNTS, 50), HD_OPERATION(withdraw, ACCOUNTS, 50),
          HD_OPERATION(transfer, ACCOUNTS, ACCOUNTS))
