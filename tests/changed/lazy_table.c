/* SPDX-License-Identifier: Apache-2.0
 *
 * A table that is made when it is first asked for. The lock was held from the question to the answer; the change asks
 * without it first, and again not at all: it is made twice. */
#include "ordinary.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int *table, made, room[2];

static int *get_table(void)
{
#ifdef OLD
  pthread_mutex_lock(&lock);
  if (!table)
    table = &room[made++];
  pthread_mutex_unlock(&lock);
  return table;
#else
  pthread_mutex_lock(&lock);
  int *known = table;
  pthread_mutex_unlock(&lock);
  if (known)
    return known;
  pthread_mutex_lock(&lock);
  table = &room[made++];
  pthread_mutex_unlock(&lock);
  return table;
#endif
}

static void *user(void *unused)
{
  log_line();
  get_table();
  count_line();
  return unused;
}

int main(void)
{
  RUN(user, user);
  assert(made == 1);
}
