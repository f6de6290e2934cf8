/* SPDX-License-Identifier: Apache-2.0
 *
 * Transfers between accounts, each with its lock, always taken in the order of the accounts: two locks and four accesses
 * a transfer, and some work of its own for each. Arguments: transfers.
 */
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

#define ACCOUNTS 64
#define THREADS 4
#define START 1000

static struct {
  pthread_mutex_t lock;
  long balance;
} account[ACCOUNTS];
static long transfers;

static uint32_t next_random(uint32_t *state)
{
  for (int i = 0; i < 20; i++) {
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
  }
  return *state;
}

static void transfer(unsigned from, unsigned to, long amount)
{
  unsigned first = from < to ? from : to, second = from < to ? to : from;
  pthread_mutex_lock(&account[first].lock);
  pthread_mutex_lock(&account[second].lock);
  account[from].balance -= amount;
  account[to].balance += amount;
  pthread_mutex_unlock(&account[second].lock);
  pthread_mutex_unlock(&account[first].lock);
}

static void *work(void *number)
{
  uint32_t state = (uint32_t)(uintptr_t)number + 1;
  for (long i = 0; i < transfers / THREADS; i++) {
    unsigned from = next_random(&state) % ACCOUNTS, to = next_random(&state) % ACCOUNTS;
    if (from != to)
      transfer(from, to, (long)(next_random(&state) % 10));
  }
  return NULL;
}

int main(int argc, char **argv)
{
  pthread_t thread[THREADS];
  long sum = 0;
  transfers = argc > 1 ? atol(argv[1]) : THREADS;
  for (int i = 0; i < ACCOUNTS; i++) {
    pthread_mutex_init(&account[i].lock, NULL);
    account[i].balance = START;
  }
  for (uintptr_t i = 0; i < THREADS; i++)
    pthread_create(&thread[i], NULL, work, (void *)i);
  for (int i = 0; i < THREADS; i++)
    pthread_join(thread[i], NULL);
  for (int i = 0; i < ACCOUNTS; i++)
    sum += account[i].balance;
  assert(sum == ACCOUNTS * START);
  return 0;
}
