/* SPDX-License-Identifier: Apache-2.0
 *
 * MtxPairing: a mutex is unlocked by who has not locked it. Fixed: it is locked before. */
#include <threads.h>

static mtx_t lock;

static int worker(void *unused)
{
  (void)unused;
#ifdef FIXED
  mtx_lock(&lock);
#endif
  mtx_unlock(&lock);
  return 0;
}

int main(void)
{
  thrd_t thread;
  mtx_init(&lock, mtx_plain);
  thrd_create(&thread, worker, NULL);
  mtx_lock(&lock);
  mtx_unlock(&lock);
  thrd_join(thread, NULL);
  mtx_destroy(&lock);
  return 0;
}
