/* SPDX-License-Identifier: Apache-2.0
 *
 * With the threads of C11. To paint one needs the ladder and the brush. One painter takes the ladder first, the other
 * the brush first, and each waits for what the other has. The twin takes them in the same order.
 *
 * verdict: deadlock
 * threads: 3
 */
#include <assert.h>
#include <stddef.h>
#include <threads.h>

static mtx_t ladder, brush;
static int painted;

static void paint(mtx_t *first, mtx_t *second)
{
  mtx_lock(first);
  mtx_lock(second);
  painted++;
  mtx_unlock(second);
  mtx_unlock(first);
}

static int one(void *arg)
{
  (void)arg;
  paint(&ladder, &brush);
  return 0;
}

static int other(void *arg)
{
  (void)arg;
#ifdef FIXED
  paint(&ladder, &brush);
#else
  paint(&brush, &ladder);
#endif
  return 0;
}

int main(void)
{
  thrd_t a, b;

  mtx_init(&ladder, mtx_plain);
  mtx_init(&brush, mtx_plain);
  thrd_create(&a, one, NULL);
  thrd_create(&b, other, NULL);
  thrd_join(a, NULL);
  thrd_join(b, NULL);
  assert(painted == 2);
  mtx_destroy(&brush);
  mtx_destroy(&ladder);
  return 0;
}
