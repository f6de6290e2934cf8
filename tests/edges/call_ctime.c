/* SPDX-License-Identifier: Apache-2.0
 *
 * Two threads use ctime, whose result is one static buffer. Natively, with pauses, it failed in 66 of 1000 runs.
 *
 * verdict: noproof
 */
#include <assert.h>
#include <pthread.h>
#include <string.h>
#include <time.h>

static void *later(void *unused)
{
  (void)unused;
  time_t when = 1000000000;
  ctime(&when);
  return NULL;
}

int main(void)
{
  pthread_t thread;
  time_t when = 100000;
  pthread_create(&thread, NULL, later, NULL);
  char *text = ctime(&when);
  int mine = strstr(text, "1970") != NULL;
  pthread_join(thread, NULL);
  assert(mine);
  return 0;
}
