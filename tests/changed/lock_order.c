/* SPDX-License-Identifier: Apache-2.0
 *
 * Two tables, each with its lock. Both moves took the locks in one order; the change turns one of them round: a deadlock
 * if each thread has its first lock. */
#include "ordinary.h"

static pthread_mutex_t left = PTHREAD_MUTEX_INITIALIZER, right = PTHREAD_MUTEX_INITIALIZER;
static int left_rows = 4, right_rows = 4;

static void *move_right(void *unused)
{
  log_line();
  pthread_mutex_lock(&left);
  pthread_mutex_lock(&right);
  left_rows--, right_rows++;
  pthread_mutex_unlock(&right);
  pthread_mutex_unlock(&left);
  return unused;
}

static void *move_left(void *unused)
{
  log_line();
  count_line();
#ifdef OLD
  pthread_mutex_lock(&left);
  pthread_mutex_lock(&right);
#else
  pthread_mutex_lock(&right);
  pthread_mutex_lock(&left);
#endif
  left_rows++, right_rows--;
  pthread_mutex_unlock(&right);
  pthread_mutex_unlock(&left);
  return unused;
}

int main(void)
{
  RUN(move_right, move_left);
  assert(left_rows == 4);
}
