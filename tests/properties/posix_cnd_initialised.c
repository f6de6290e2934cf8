/* SPDX-License-Identifier: Apache-2.0
 *
 * CndInitialised: the thread may signal before main has initialised the condition variable. Fixed: it is created
 * afterwards. */
#include <threads.h>

static cnd_t changed;

static int worker(void *unused)
{
  (void)unused;
  cnd_signal(&changed);
  return 0;
}

int main(void)
{
  thrd_t thread;
#ifdef FIXED
  cnd_init(&changed);
  thrd_create(&thread, worker, NULL);
#else
  thrd_create(&thread, worker, NULL);
  cnd_init(&changed);
#endif
  thrd_join(thread, NULL);
  cnd_destroy(&changed);
  return 0;
}
