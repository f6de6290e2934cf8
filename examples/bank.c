/* SPDX-License-Identifier: Apache-2.0
 *
 * Two clerks move money between the same two accounts without a lock.
 *
 * The bug: `transfer` reads a balance and writes it back later. If the other clerk does the same in between, one of the
 * two updates is lost, and money appears or vanishes. The operating system hardly ever switches threads right there,
 * so the program passes almost always when it is simply run.
 *
 *     heddle check examples/bank.c
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static int balance[2] = {100, 100};

static void transfer(int from, int to, int amount)
{
  int left = balance[from];
  balance[from] = left - amount;
  balance[to] += amount;
}

static void *clerk(void *unused)
{
  (void)unused;
  transfer(0, 1, 50);
  return NULL;
}

int main(void)
{
  pthread_t first, second;
  pthread_create(&first, NULL, clerk, NULL);
  pthread_create(&second, NULL, clerk, NULL);
  pthread_join(first, NULL);
  pthread_join(second, NULL);

  int total = balance[0] + balance[1];
  assert(total == 200);
  return 0;
}
