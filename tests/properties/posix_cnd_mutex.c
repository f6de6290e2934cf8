/* SPDX-License-Identifier: Apache-2.0
 *
 * CndMutex: two threads wait on one condition variable, each with a mutex of its own. Fixed: with the same one. */
#include <threads.h>

static mtx_t lock[2];
static cnd_t changed;
static int ready[2];

static int waiter(void *number)
{
#ifdef FIXED
  mtx_t *mine = &lock[0];
#else
  mtx_t *mine = &lock[*(int *)number];
#endif
  mtx_lock(mine);
  while (!ready[*(int *)number])
    cnd_wait(&changed, mine);
  mtx_unlock(mine);
  return 0;
}

int main(void)
{
  thrd_t thread[2];
  int number[2] = {0, 1};
  cnd_init(&changed);
  for (int i = 0; i < 2; i++)
    mtx_init(&lock[i], mtx_plain);
  for (int i = 0; i < 2; i++)
    thrd_create(&thread[i], waiter, &number[i]);
  for (int i = 0; i < 2; i++) {
    mtx_lock(&lock[0]);
    mtx_lock(&lock[1]);
    ready[i] = 1;
    cnd_broadcast(&changed);
    mtx_unlock(&lock[1]);
    mtx_unlock(&lock[0]);
  }
  for (int i = 0; i < 2; i++)
    thrd_join(thread[i], NULL);
  return 0;
}
