/* SPDX-License-Identifier: Apache-2.0
 *
 * Accounts of a bank. A transfer held the lock from the first change to the last; the change narrows it to each of them,
 * so that an auditor finds money missing. */
#include "ordinary.h"

static pthread_mutex_t bank = PTHREAD_MUTEX_INITIALIZER;
static int from = 100, to = 0;

static void *transfer(void *unused)
{
  log_line();
  pthread_mutex_lock(&bank);
  from -= 10;
#ifndef OLD
  pthread_mutex_unlock(&bank);
  pthread_mutex_lock(&bank);
#endif
  to += 10;
  pthread_mutex_unlock(&bank);
  count_line();
  return unused;
}

static void *audit(void *unused)
{
  log_line();
  pthread_mutex_lock(&bank);
  int sum = from + to;
  pthread_mutex_unlock(&bank);
  log_line();
  assert(sum == 100);
  return unused;
}

int main(void)
{
  RUN(transfer, audit);
}
