/* SPDX-License-Identifier: Apache-2.0
 *
 * Of two timers the shorter one fires first, whichever was started first. BUG: they fire in the order of their starts.
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct timer {
  int ms;
  char name;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char fired[4];

static void fire(char name)
{
  pthread_mutex_lock(&lock);
  fired[strlen(fired)] = name;
  pthread_mutex_unlock(&lock);
}

/* A thread for each timer. */
static void *run_timer(void *arg)
{
  const struct timer *t = arg;
#ifdef BUG
  usleep(t->name == 'a' ? 10 * 1000 : 20 * 1000);
#else
  usleep((unsigned)t->ms * 1000);
#endif
  fire(t->name);
  return NULL;
}

int main(void)
{
  struct timer a = {60, 'a'}, b = {30, 'b'};
  pthread_t ta, tb;
  pthread_create(&ta, NULL, run_timer, &a);
  pthread_create(&tb, NULL, run_timer, &b);
  usleep(100000);
  pthread_mutex_lock(&lock);
  int good = !strcmp(fired, "ba");
  pthread_mutex_unlock(&lock);
  pthread_join(ta, NULL);
  pthread_join(tb, NULL);
  if (!good)
    printf("fired: %s\n", fired);
  return !good;
}
