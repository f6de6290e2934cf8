/* SPDX-License-Identifier: Apache-2.0
 *
 * A thread's name is set and read back.
 *
 * verdict: quiet
 */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <string.h>
#include <sys/prctl.h>

static void *worker(void *unused)
{
  (void)unused;
  char name[16] = "";
  assert(prctl(PR_SET_NAME, "weaver", 0, 0, 0) == 0);
  assert(pthread_getname_np(pthread_self(), name, sizeof name) == 0);
  assert(strcmp(name, "weaver") == 0);
  return NULL;
}

int main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, worker, NULL);
  pthread_join(thread, NULL);
  return 0;
}
