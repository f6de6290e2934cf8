/* SPDX-License-Identifier: Apache-2.0
 *
 * MtxInitialised: the thread may lock the mutex after main has destroyed it. Fixed: main waits for the thread first. */
#include <threads.h>

static mtx_t lock;

static int worker(void *unused)
{
  (void)unused;
  mtx_lock(&lock);
  mtx_unlock(&lock);
  return 0;
}

int main(void)
{
  thrd_t thread;
  mtx_init(&lock, mtx_plain);
  thrd_create(&thread, worker, NULL);
#ifdef FIXED
  thrd_join(thread, NULL);
  mtx_destroy(&lock);
#else
  mtx_destroy(&lock);
  thrd_join(thread, NULL);
#endif
  return 0;
}
