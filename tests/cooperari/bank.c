/* SPDX-License-Identifier: Apache-2.0
 *
 * Clerks move money between two accounts: the even ones from the first to the second, the odd ones back. A clerk locks
 * the account that pays, then the one that is paid. When two clerks of different kind each hold their first lock, both
 * wait for ever. In the twin everybody locks the first account first.
 *
 * verdict: deadlock
 */
#include "threads.h"
#include <assert.h>

enum { TRANSFERS = 3, BALANCE = 1000 };

static struct account {
  pthread_mutex_t lock;
  int balance;
} account[2] = {{PTHREAD_MUTEX_INITIALIZER, BALANCE}, {PTHREAD_MUTEX_INITIALIZER, BALANCE}};

static void transfer(struct account *from, struct account *to, int amount)
{
#ifdef FIXED
  struct account *first = &account[0], *second = &account[1];
#else
  struct account *first = from, *second = to;
#endif
  pthread_mutex_lock(&first->lock);
  pthread_mutex_lock(&second->lock);
  from->balance -= amount;
  to->balance += amount;
  pthread_mutex_unlock(&second->lock);
  pthread_mutex_unlock(&first->lock);
}

static void clerk(int number)
{
  for (int i = 0; i < TRANSFERS; i++)
    transfer(&account[number % 2], &account[(number + 1) % 2], 10 + i);
}

int main(int argc, char **argv)
{
  run_threads(thread_count(argc, argv), clerk);
  assert(account[0].balance + account[1].balance == 2 * BALANCE);
  return 0;
}
