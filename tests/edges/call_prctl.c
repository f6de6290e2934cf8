/* SPDX-License-Identifier: Apache-2.0
 *
 * Who adopts orphans is said by prctl for the whole process: main may see what another thread set.
 *
 * verdict: find
 */
#include <assert.h>
#include <pthread.h>
#include <sys/prctl.h>

static void *worker(void *unused)
{
  prctl(PR_SET_CHILD_SUBREAPER, 0);
  return unused;
}

int main(void)
{
  pthread_t thread;
  int adopts;
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  pthread_create(&thread, NULL, worker, NULL);
  prctl(PR_GET_CHILD_SUBREAPER, &adopts);
  pthread_join(thread, NULL);
  assert(adopts == 1);
  return 0;
}
