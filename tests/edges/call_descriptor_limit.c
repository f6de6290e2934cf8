/* SPDX-License-Identifier: Apache-2.0
 *
 * A thread lowers the limit of descriptors while another one duplicates one to a high number. Natively, with pauses,
 * it failed in 1 of 300 runs.
 *
 * verdict: find
 */
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/resource.h>

static void *lowers(void *unused)
{
  (void)unused;
  struct rlimit limit;
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = 10;
  setrlimit(RLIMIT_NOFILE, &limit);
  return NULL;
}

int main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, lowers, NULL);
  int copy = fcntl(0, F_DUPFD, 20);
  assert(copy == 20);
  pthread_join(thread, NULL);
  return 0;
}
