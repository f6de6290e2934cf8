/* SPDX-License-Identifier: Apache-2.0
 *
 * A value that is ready when a flag says so. The value was written before the flag; the change writes the flag first,
 * and who looks in between reads nothing. */
#include "ordinary.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int ready, value;

static void publish(int *what)
{
  pthread_mutex_lock(&lock);
  *what = 1;
  pthread_mutex_unlock(&lock);
}

static int look(const int *what)
{
  pthread_mutex_lock(&lock);
  int seen = *what;
  pthread_mutex_unlock(&lock);
  return seen;
}

static void *writer(void *unused)
{
  log_line();
#ifdef OLD
  publish(&value);
  publish(&ready);
#else
  publish(&ready);
  publish(&value);
#endif
  count_line();
  return unused;
}

static void *reader(void *unused)
{
  log_line();
  if (look(&ready))
    assert(look(&value));
  log_line();
  return unused;
}

int main(void)
{
  RUN(writer, reader);
}
