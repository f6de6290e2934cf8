/* SPDX-License-Identifier: Apache-2.0
 *
 * Marks: the worker does not wait until main is ready. Fixed: it is created afterwards. */
#define _GNU_SOURCE
#include <heddle.h>
#include <pthread.h>

static void *worker(void *unused)
{
  pthread_setname_np(pthread_self(), "worker");
  hd_event("go");
  return unused;
}

int main(void)
{
  pthread_t thread;
  hd_event("go"); /* of no concern here */
#ifdef FIXED
  hd_event("ready");
  pthread_create(&thread, NULL, worker, NULL);
#else
  pthread_create(&thread, NULL, worker, NULL);
  hd_event("ready");
#endif
  pthread_join(thread, NULL);
  return 0;
}
