/* SPDX-License-Identifier: Apache-2.0
 *
 * JoinedThrd: a thread is joined by two. Fixed: by one. */
#include <threads.h>

static thrd_t worker;

static int work(void *unused)
{
  (void)unused;
  return 0;
}

static int joiner(void *unused)
{
  (void)unused;
#ifndef FIXED
  thrd_join(worker, NULL);
#endif
  return 0;
}

int main(void)
{
  thrd_t other;
  thrd_create(&worker, work, NULL);
  thrd_create(&other, joiner, NULL);
  thrd_join(worker, NULL);
  thrd_join(other, NULL);
  return 0;
}
