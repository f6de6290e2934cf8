/* SPDX-License-Identifier: Apache-2.0
 *
 * The mask of new files and a limit are changed while a thread looks at the limit. The next execution must find both as they
 * were at the start, without a new process. Natively it never fails.
 *
 * verdict: complete
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/resource.h>
#include <sys/stat.h>

static void *look(void *unused)
{
  struct rlimit now;
  assert(getrlimit(RLIMIT_CORE, &now) == 0);
  return unused;
}

int main(void)
{
  pthread_t thread;
  struct rlimit limit;
  assert(umask(0075) != 0075);
  assert(getrlimit(RLIMIT_CORE, &limit) == 0 && limit.rlim_cur != 4096 * 77);
  limit.rlim_cur = 4096 * 77;
  pthread_create(&thread, NULL, look, NULL);
  setrlimit(RLIMIT_CORE, &limit);
  pthread_join(thread, NULL);
  assert(umask(0) == 0075);
  return 0;
}
