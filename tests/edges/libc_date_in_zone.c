/* SPDX-License-Identifier: Apache-2.0
 *
 * A thread sets the time zone while another one asks for the local time. Natively, with pauses, it failed in 43 of 300 runs.
 *
 * verdict: find
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

static void *moves(void *unused)
{
  (void)unused;
  setenv("TZ", "EST5", 1);
  tzset();
  return NULL;
}

int main(void)
{
  pthread_t thread;
  time_t begin = 0;
  struct tm date;
  setenv("TZ", "UTC0", 1);
  tzset();
  pthread_create(&thread, NULL, moves, NULL);
  localtime_r(&begin, &date);
  assert(date.tm_hour == 0);
  pthread_join(thread, NULL);
  return 0;
}
