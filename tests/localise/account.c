/* SPDX-License-Identifier: Apache-2.0
 *
 * Two accounts, two customers. A transfer locks only the account it takes from: it reads the other balance, the other
 * customer changes it, and the transfer writes back what it had read.
 *
 * verdict: assertion
 * also: race
 * blame: R W W account[0].amount|account[1].amount
 */
#include <assert.h>
#include <pthread.h>

struct account {
  pthread_mutex_t lock;
  int amount;
};

static struct account account[2] = {{PTHREAD_MUTEX_INITIALIZER, 0}, {PTHREAD_MUTEX_INITIALIZER, 0}};
static const int number[2] = {0, 1};

static void add(struct account *a, int amount)
{
  pthread_mutex_lock(&a->lock);
  a->amount += amount; /* <1> <2> <3> */
  pthread_mutex_unlock(&a->lock);
}

static void transfer(struct account *from, struct account *to, int amount)
{
#ifdef FIXED
  add(from, -amount);
  add(to, amount);
#else
  pthread_mutex_lock(&from->lock);
  from->amount -= amount; /* <2> */
  to->amount += amount;   /* <1> <2> <3> */
  pthread_mutex_unlock(&from->lock);
#endif
}

static void *customer(void *arg)
{
  int mine = *(const int *)arg;
  add(&account[mine], 300);
  add(&account[mine], -100);
  transfer(&account[mine], &account[1 - mine], 99);
  return NULL;
}

int main(void)
{
  pthread_t thread[2];

  for (int i = 0; i < 2; i++)
    account[i].amount = 100;
  for (int i = 0; i < 2; i++)
    pthread_create(&thread[i], NULL, customer, (void *)&number[i]);
  for (int i = 0; i < 2; i++)
    pthread_join(thread[i], NULL);
  assert(account[0].amount == 300 && account[1].amount == 300);
  return 0;
}
