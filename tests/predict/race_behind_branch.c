/* SPDX-License-Identifier: Apache-2.0
 *
 * The second thread sets the default only if the first has not announced its value yet. A run in which the announcement
 * comes first has no second write at all, and no order of its operations has: what is not in the trace cannot be
 * predicted. A run in which it comes last shows the race. Fixed: the default is set inside the section.
 *
 * verdict: race
 * truth: races=1 deadlocks=0
 * foretold: races=0 proven=0 atomicity=0
 * expected: missed by prediction from a run that announces first
 */
#include <pthread.h>
#include <stdbool.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool announced;
static int value;

static void *announce(void *unused)
{
#ifndef FIXED
  value = 1;
#endif
  pthread_mutex_lock(&lock);
#ifdef FIXED
  value = 1;
#endif
  announced = true;
  pthread_mutex_unlock(&lock);
  return unused;
}

static void *set_default(void *unused)
{
  pthread_mutex_lock(&lock);
  bool set = announced;
#ifdef FIXED
  if (!set)
    value = 2;
#endif
  pthread_mutex_unlock(&lock);
#ifndef FIXED
  if (!set)
    value = 2;
#endif
  return unused;
}

int main(void)
{
  pthread_t first, second;
  pthread_create(&first, NULL, announce, NULL);
  pthread_create(&second, NULL, set_default, NULL);
  pthread_join(first, NULL);
  pthread_join(second, NULL);
  return 0;
}
