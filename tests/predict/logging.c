/* SPDX-License-Identifier: Apache-2.0
 *
 * A logging library with a lock for the logger, one for its handler and one for the manager of all loggers. What the
 * program's thread does takes them as logger-handler, handler-manager and manager-logger; what the thread that changes the
 * configuration does takes them the other way round. Three circles, one for each pair of locks.
 *
 * In the twin everybody takes them by rank: manager, logger, handler.
 *
 * verdict: deadlock
 * threads: 3
 * predicted: 3
 * real: 3
 */
#include <pthread.h>
#include <unistd.h>

enum { MANAGER, LOGGER, HANDLER, PARTS };

static pthread_mutex_t lock[PARTS] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
                                      PTHREAD_MUTEX_INITIALIZER};
static int changes[PARTS];

static void change(int outer, int inner)
{
#ifdef FIXED
  if (inner < outer) {
    int swap = outer;
    outer = inner;
    inner = swap;
  }
#endif
  pthread_mutex_lock(&lock[outer]);
  pthread_mutex_lock(&lock[inner]);
  changes[outer]++;
  changes[inner]++;
  pthread_mutex_unlock(&lock[inner]);
  pthread_mutex_unlock(&lock[outer]);
}

static void *program(void *arg)
{
  change(LOGGER, HANDLER);  /* a message is published */
  change(HANDLER, MANAGER); /* the handler asks for its level */
  change(MANAGER, LOGGER);  /* a new logger is entered */
  return arg;
}

static void *configuration(void *arg)
{
  usleep(5000);
  change(HANDLER, LOGGER);  /* a handler is closed */
  change(MANAGER, HANDLER); /* all handlers are reset */
  change(LOGGER, MANAGER);  /* a logger gets another parent */
  return arg;
}

int main(void)
{
  pthread_t a, b;

  pthread_create(&a, NULL, program, NULL);
  pthread_create(&b, NULL, configuration, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return changes[MANAGER] != 4;
}
