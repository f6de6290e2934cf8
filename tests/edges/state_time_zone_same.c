/* SPDX-License-Identifier: Apache-2.0
 *
 * Two threads set the time zone that is set already; main looks at it.
 *
 * verdict: complete
 */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

static void *work(void *unused)
{
  tzset();
  return unused;
}

int main(void)
{
  pthread_t thread;
  setenv("TZ", "XXX5", 1);
  tzset();
  pthread_create(&thread, NULL, work, NULL);
  tzset();
  long seconds = timezone;
  pthread_join(thread, NULL);
  assert(seconds == 5 * 3600);
  return 0;
}
