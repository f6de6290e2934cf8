/* SPDX-License-Identifier: Apache-2.0
 *
 * With the threads of C11. The baker signals when the bread is done. The customer looks whether it is done, lets go of
 * the lock for a moment, takes it again, and waits without a second look. If the bread is done in that moment, the
 * signal comes before the wait, and the customer goes hungry.
 *
 * verdict: deadlock
 * threads: 2
 */
#include <stddef.h>
#include <threads.h>

static mtx_t lock;
static cnd_t done;
static int bread;

static int customer(void *arg)
{
  (void)arg;
  mtx_lock(&lock);
#ifdef FIXED
  while (!bread)
    cnd_wait(&done, &lock);
#else
  int must_wait = !bread;
  mtx_unlock(&lock); /* to find a seat */
  mtx_lock(&lock);
  if (must_wait)
    cnd_wait(&done, &lock);
#endif
  mtx_unlock(&lock);
  return 0;
}

int main(void)
{
  thrd_t thread;

  mtx_init(&lock, mtx_plain);
  cnd_init(&done);
  thrd_create(&thread, customer, NULL);
  mtx_lock(&lock);
  bread = 1;
  cnd_signal(&done);
  mtx_unlock(&lock);
  thrd_join(thread, NULL);
  cnd_destroy(&done);
  mtx_destroy(&lock);
  return 0;
}
