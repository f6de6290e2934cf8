/* SPDX-License-Identifier: Apache-2.0
 *
 * prctl(PR_SET_DUMPABLE) is for the whole process: main may see what another thread set. Natively, with pauses, it
 * failed in 94 of 200 runs.
 *
 * verdict: noproof
 */
#include <assert.h>
#include <pthread.h>
#include <sys/prctl.h>

static void *worker(void *unused)
{
  prctl(PR_SET_DUMPABLE, 0);
  return unused;
}

int main(void)
{
  pthread_t thread;
  prctl(PR_SET_DUMPABLE, 1);
  pthread_create(&thread, NULL, worker, NULL);
  int dumpable = prctl(PR_GET_DUMPABLE);
  pthread_join(thread, NULL);
  assert(dumpable == 1);
  return 0;
}
