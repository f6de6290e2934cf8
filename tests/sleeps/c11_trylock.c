/* SPDX-License-Identifier: Apache-2.0
 *
 * A try fails while another thread has the lock. BUG: the lock is free too early.
 */
#include <assert.h>
#include <threads.h>
#include <time.h>

#define NAP(ms) thrd_sleep(&(struct timespec){.tv_nsec = (ms)*1000000L}, NULL)

static mtx_t lock;

static void begin_work(void)
{
  mtx_lock(&lock);
#ifdef BUG
  mtx_unlock(&lock);
#endif
}

static void end_work(void)
{
#ifndef BUG
  mtx_unlock(&lock);
#endif
}

static int holder(void *arg)
{
  (void)arg;
  begin_work();
  NAP(60);
  end_work();
  return 0;
}

int main(void)
{
  thrd_t t;
  mtx_init(&lock, mtx_plain);
  thrd_create(&t, holder, 0);
  NAP(20);
  assert(mtx_trylock(&lock) == thrd_busy);
  thrd_join(t, 0);
  assert(mtx_trylock(&lock) == thrd_success);
  mtx_unlock(&lock);
  return 0;
}
