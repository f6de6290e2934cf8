/* SPDX-License-Identifier: Apache-2.0
 *
 * NestedOnce: what is done once asks for it to be done. Fixed: it does not. */
#include <threads.h>

static once_flag once = ONCE_FLAG_INIT;

static void set_up(void)
{
#ifndef FIXED
  call_once(&once, set_up);
#endif
}

static int worker(void *unused)
{
  (void)unused;
  call_once(&once, set_up);
  return 0;
}

int main(void)
{
  thrd_t thread;
  thrd_create(&thread, worker, NULL);
  thrd_join(thread, NULL);
  return 0;
}
