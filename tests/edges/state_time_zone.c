/* SPDX-License-Identifier: Apache-2.0
 *
 * A thread changes the time zone at which main looks.
 *
 * verdict: find
 */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

static void *work(void *unused)
{
  setenv("TZ", "XXX5", 1);
  tzset();
  return unused;
}

int main(void)
{
  pthread_t thread;
  setenv("TZ", "UTC0", 1);
  tzset();
  pthread_create(&thread, NULL, work, NULL);
  long seconds = timezone;
  pthread_join(thread, NULL);
  assert(seconds == 0);
  return 0;
}
