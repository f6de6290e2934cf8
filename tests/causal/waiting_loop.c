/* SPDX-License-Identifier: Apache-2.0
 *
 * A thread waits in a loop until a flag is set, and takes what was left for it. The flag is set before that is there; with
 * -DFIXED, after it. There is a class for each number of turns, so causality tries a few of them, and says so.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int flag, left;

static void *leave(void *unused)
{
#ifdef FIXED
  left = 1;
  flag = 1;
#else
  flag = 1;
  left = 1;
#endif
  return unused;
}

int main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, leave, NULL);
  while (!flag)
    ;
  assert(left == 1);
  pthread_join(thread, NULL);
  return 0;
}
