/* SPDX-License-Identifier: Apache-2.0
 *
 * A logger with a filter that can be taken away. Its new owner clears it without the lock that the logger holds while it
 * uses it: the change added that write. */
#include "ordinary.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int level = 1, *filter = &level;

static void *logger(void *unused)
{
  log_line();
  pthread_mutex_lock(&lock);
  if (filter) {
    log_line();
    assert(filter && *filter == 1);
  }
  pthread_mutex_unlock(&lock);
  return unused;
}

static void *owner(void *unused)
{
  log_line();
  count_line();
#ifdef OLD
  pthread_mutex_lock(&lock);
  filter = NULL;
  pthread_mutex_unlock(&lock);
#else
  filter = NULL;
#endif
  log_line();
  return unused;
}

int main(void)
{
  RUN(logger, owner);
}
