/* SPDX-License-Identifier: Apache-2.0
 *
 * The mask of the log is one for all threads.
 *
 * verdict: find
 */
#include <assert.h>
#include <pthread.h>
#include <syslog.h>

static void *work(void *unused)
{
  setlogmask(LOG_UPTO(LOG_ERR));
  return unused;
}

int main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  int mask = setlogmask(0);
  pthread_join(thread, NULL);
  assert(mask == 0xff);
  return 0;
}
