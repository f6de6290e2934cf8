/* SPDX-License-Identifier: Apache-2.0
 *
 * A hard limit is lowered, as a server does that gives up what it does not need; who may not raise it cannot put it back. The
 * next execution must find it as it was at the start all the same. Natively it never fails.
 *
 * verdict: complete
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/resource.h>

#define LOWER (((rlim_t)1 << 40) + 7)

static atomic_int order;

static void *be_last(void *number)
{
  atomic_store(&order, (int)(size_t)number);
  return NULL;
}

int main(void)
{
  struct rlimit limit, now;
  pthread_t thread[2];
  assert(getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_max != LOWER);
  if (limit.rlim_max > LOWER) {
    limit.rlim_cur = limit.rlim_max = LOWER;
    assert(setrlimit(RLIMIT_FSIZE, &limit) == 0);
    assert(getrlimit(RLIMIT_FSIZE, &now) == 0 && now.rlim_max == LOWER);
  }
  for (size_t i = 0; i < 2; i++)
    pthread_create(&thread[i], NULL, be_last, (void *)i);
  for (size_t i = 0; i < 2; i++)
    pthread_join(thread[i], NULL);
  return 0;
}
