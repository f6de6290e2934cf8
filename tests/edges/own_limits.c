/* SPDX-License-Identifier: Apache-2.0
 *
 * A limit that was set is read back, by getrlimit and by prlimit with the process's own number.
 *
 * verdict: quiet
 */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/resource.h>
#include <unistd.h>

static void *worker(void *unused)
{
  return unused;
}

int main(void)
{
  struct rlimit limit, now;
  pthread_t thread;
  assert(getrlimit(RLIMIT_NOFILE, &limit) == 0);
  limit.rlim_cur = 200;
  assert(setrlimit(RLIMIT_NOFILE, &limit) == 0);
  assert(prlimit(getpid(), RLIMIT_NOFILE, NULL, &now) == 0 && now.rlim_cur == 200);
  pthread_create(&thread, NULL, worker, NULL);
  pthread_join(thread, NULL);
  return 0;
}
