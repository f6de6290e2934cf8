/* SPDX-License-Identifier: Apache-2.0
 *
 * A timer of a microsecond whose signal ends the program, beside work that takes longer on any machine.
 *
 * verdict: found
 * kind: crash
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
  struct itimerval soon = {.it_value = {0, 1}};
  pthread_t thread;
  setitimer(ITIMER_REAL, &soon, NULL);
  pthread_create(&thread, NULL, count, NULL);
  count(NULL);
  pthread_join(thread, NULL);
  return 0;
}
