/* SPDX-License-Identifier: Apache-2.0
 *
 * Ann borrows 50 from a purse with 100, Bob borrows 80, and both put it back at once. When there is not enough,
 * borrow() returns early, and the spin lock stays taken. One after the other there is always enough; only when Ann
 * comes while Bob has his 80 does she find too little, and Bob, who comes to put it back, spins for ever.
 *
 * verdict: deadlock
 * threads: 3
 */
#include <assert.h>
#include <pthread.h>

static pthread_spinlock_t lock;
static int purse = 100;

static int borrow(int amount)
{
  pthread_spin_lock(&lock);
  if (purse < amount) {
#ifdef FIXED
    pthread_spin_unlock(&lock);
#endif
    return -1;
  }
  purse -= amount;
  pthread_spin_unlock(&lock);
  return 0;
}

static void put_back(int amount)
{
  pthread_spin_lock(&lock);
  purse += amount;
  pthread_spin_unlock(&lock);
}

static void *borrower(void *arg)
{
  int amount = *(int *)arg;

  if (borrow(amount) == 0)
    put_back(amount);
  return NULL;
}

int main(void)
{
  pthread_t ann, bob;
  int amount[2] = {50, 80};

  pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
  pthread_create(&ann, NULL, borrower, &amount[0]);
  pthread_create(&bob, NULL, borrower, &amount[1]);
  pthread_join(ann, NULL);
  pthread_join(bob, NULL);
  assert(purse == 100);
  pthread_spin_destroy(&lock);
  return 0;
}
