/* SPDX-License-Identifier: Apache-2.0
 *
 * Two transfers in opposite directions. Each locks the account it takes from, then the one it gives to. One holds
 * A and wants B, the other holds B and wants A, and they wait for each other for ever. The twin always locks the
 * account with the lower number first.
 *
 * verdict: deadlock
 * threads: 3
 */
#include <assert.h>
#include <pthread.h>

struct account {
  pthread_mutex_t lock;
  int balance;
};

static struct account account[2] = {{PTHREAD_MUTEX_INITIALIZER, 100}, {PTHREAD_MUTEX_INITIALIZER, 100}};

static void transfer(int from, int to, int amount)
{
#ifdef FIXED
  int first = from < to ? from : to;
  int second = from < to ? to : from;
#else
  int first = from;
  int second = to;
#endif
  pthread_mutex_lock(&account[first].lock);
  pthread_mutex_lock(&account[second].lock);
  account[from].balance -= amount;
  account[to].balance += amount;
  pthread_mutex_unlock(&account[second].lock);
  pthread_mutex_unlock(&account[first].lock);
}

static void *forth(void *arg)
{
  transfer(0, 1, 10);
  return arg;
}

static void *back(void *arg)
{
  transfer(1, 0, 20);
  return arg;
}

int main(void)
{
  pthread_t a, b;

  pthread_create(&a, NULL, forth, NULL);
  pthread_create(&b, NULL, back, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  assert(account[0].balance == 110 && account[1].balance == 90);
  return 0;
}
