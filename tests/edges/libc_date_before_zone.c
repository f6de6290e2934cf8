/* SPDX-License-Identifier: Apache-2.0
 *
 * A thread sets the time zone while another one asks for the local time, which may come first: then it is not that of the new
 * zone. The C library makes the rules of the zone before it says which zone it is.
 *
 * verdict: find
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

static void *moves(void *unused)
{
  setenv("TZ", "EST5", 1);
  tzset();
  return unused;
}

static void *looks(void *unused)
{
  time_t begin = 0;
  struct tm date;
  localtime_r(&begin, &date);
  assert(date.tm_hour == 19);
  return unused;
}

int main(void)
{
  pthread_t mover, looker;
  setenv("TZ", "UTC0", 1);
  tzset();
  pthread_create(&mover, NULL, moves, NULL);
  pthread_create(&looker, NULL, looks, NULL);
  pthread_join(mover, NULL);
  pthread_join(looker, NULL);
  return 0;
}
