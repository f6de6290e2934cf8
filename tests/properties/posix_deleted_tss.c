/* SPDX-License-Identifier: Apache-2.0
 *
 * DeletedTss: main deletes a key that the thread may still use. Fixed: it waits for the thread first. */
#include <threads.h>

static tss_t key;

static int user(void *unused)
{
  tss_set(key, unused);
  return 0;
}

int main(void)
{
  thrd_t thread;
  tss_create(&key, NULL);
  thrd_create(&thread, user, NULL);
#ifdef FIXED
  thrd_join(thread, NULL);
  tss_delete(key);
#else
  tss_delete(key);
  thrd_join(thread, NULL);
#endif
  return 0;
}
