/* SPDX-License-Identifier: Apache-2.0
 *
 * The balance that is said to be on disk is read anew after it was written, and others have paid in meanwhile.
 * tell: bug +two reads that should agree do not: T\d reads `balance` at
 * tell: fix +what T\d does while it has unlocked `desk` belongs to the value that it read first: it must keep that one
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>

static pthread_mutex_t desk = PTHREAD_MUTEX_INITIALIZER;
static int balance = 1, saved, written;

static void *save(void *arg)
{
  pthread_mutex_lock(&desk);
  int now = balance;
  pthread_mutex_unlock(&desk);
  printf("%d\n", now);
  fflush(stdout);
  written = now;
  pthread_mutex_lock(&desk);
#ifdef FIXED
  saved = now;
#else
  saved = balance;
#endif
  assert(saved <= written);
  pthread_mutex_unlock(&desk);
  return arg;
}

static void *pay_in(void *arg)
{
  pthread_mutex_lock(&desk);
  balance = 2;
  pthread_mutex_unlock(&desk);
  return arg;
}

int main(void)
{
  pthread_t clerk, customer;
  pthread_create(&clerk, NULL, save, NULL);
  pthread_create(&customer, NULL, pay_in, NULL);
  pthread_join(clerk, NULL);
  pthread_join(customer, NULL);
}
