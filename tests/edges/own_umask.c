/* SPDX-License-Identifier: Apache-2.0
 *
 * The umask is set and put back.
 *
 * verdict: quiet
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/stat.h>

static void *worker(void *unused)
{
  return unused;
}

int main(void)
{
  pthread_t thread;
  mode_t old = umask(027);
  assert(umask(022) == 027);
  assert(umask(old) == 022);
  pthread_create(&thread, NULL, worker, NULL);
  pthread_join(thread, NULL);
  return 0;
}
