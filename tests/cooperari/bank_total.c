/* SPDX-License-Identifier: Apache-2.0
 *
 * The other bank in circulation under this name. Every clerk pays into an account of his own, under its lock, and adds
 * the same to the total of the bank, which has none: additions are lost. In the twin the total has a lock too.
 *
 * verdict: assertion
 * also: race
 */
#include "threads.h"
#include <assert.h>

enum { PAYMENTS = 3 };

static struct account {
  pthread_mutex_t lock;
  int balance;
} account[THREADS_MOST];

static int total;

static void add_to_total(int amount)
{
#ifdef FIXED
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&lock);
  total += amount;
  pthread_mutex_unlock(&lock);
#else
  total += amount;
#endif
}

static void clerk(int number)
{
  struct account *mine = &account[number];

  for (int i = 0; i < PAYMENTS; i++) {
    pthread_mutex_lock(&mine->lock);
    mine->balance += 10 + i;
    pthread_mutex_unlock(&mine->lock);
    add_to_total(10 + i);
  }
}

int main(int argc, char **argv)
{
  int n = thread_count(argc, argv), sum = 0;

  for (int i = 0; i < n; i++)
    pthread_mutex_init(&account[i].lock, NULL);
  run_threads(n, clerk);
  for (int i = 0; i < n; i++)
    sum += account[i].balance;
  assert(sum == total);
  return 0;
}
