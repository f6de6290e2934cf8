/* SPDX-License-Identifier: Apache-2.0
 *
 * A thread gives main another name while main asks for its own. Natively, with pauses, it failed in 93 of 200 runs.
 *
 * verdict: find
 */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <string.h>

static pthread_t main_thread;

static void *worker(void *unused)
{
  pthread_setname_np(main_thread, "other");
  return unused;
}

int main(void)
{
  pthread_t thread;
  char name[16];
  main_thread = pthread_self();
  pthread_setname_np(main_thread, "first");
  pthread_create(&thread, NULL, worker, NULL);
  pthread_getname_np(main_thread, name, sizeof name);
  pthread_join(thread, NULL);
  assert(strcmp(name, "first") == 0);
  return 0;
}
