/* SPDX-License-Identifier: Apache-2.0
 *
 * Two threads use localtime_r, each with a buffer of its own. No failure in 250 native runs with pauses.
 *
 * verdict: quiet
 */
#include <assert.h>
#include <pthread.h>
#include <time.h>

static void *later(void *unused)
{
  (void)unused;
  time_t when = 1000000000;
  struct tm date;
  localtime_r(&when, &date);
  assert(date.tm_year == 101);
  return NULL;
}

int main(void)
{
  pthread_t thread;
  time_t when = 100000;
  struct tm date;
  pthread_create(&thread, NULL, later, NULL);
  localtime_r(&when, &date);
  assert(date.tm_year == 70);
  pthread_join(thread, NULL);
  return 0;
}
