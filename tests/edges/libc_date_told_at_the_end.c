/* SPDX-License-Identifier: Apache-2.0
 *
 * gmtime_r() says what it writes before it looks at the time zone, and writes it after that.
 *
 * verdict: found
 */
#include <assert.h>
#include <pthread.h>
#include <time.h>

static struct tm date;

static void *work(void *unused)
{
  time_t second_day = 86400;
  gmtime_r(&second_day, &date);
  return unused;
}

int main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  int year = date.tm_year;
  pthread_join(thread, NULL);
  assert(year == 0);
  return 0;
}
