/* SPDX-License-Identifier: Apache-2.0
 *
 * A timer of an hour whose signal ends the program: nobody says that it must come, and nobody that it cannot.
 *
 * verdict: quiet
 */
#include <pthread.h>
#include <stddef.h>
#include <sys/time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int sheep;

static void *count(void *unused)
{
  pthread_mutex_lock(&lock);
  sheep++;
  pthread_mutex_unlock(&lock);
  return unused;
}

int main(void)
{
  struct itimerval late = {.it_value = {3600, 0}};
  pthread_t thread;
  setitimer(ITIMER_REAL, &late, NULL);
  pthread_create(&thread, NULL, count, NULL);
  count(NULL);
  pthread_join(thread, NULL);
  return 0;
}
