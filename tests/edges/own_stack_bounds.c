/* SPDX-License-Identifier: Apache-2.0
 *
 * A thread asks where its stack is, and finds a local variable there.
 *
 * verdict: quiet
 */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static void look(void)
{
  pthread_attr_t kind;
  void *address;
  size_t size;
  char here;
  assert(pthread_getattr_np(pthread_self(), &kind) == 0);
  assert(pthread_attr_getstack(&kind, &address, &size) == 0);
  assert(&here >= (char *)address && &here < (char *)address + size);
  pthread_attr_destroy(&kind);
}

static void *worker(void *unused)
{
  look();
  return unused;
}

int main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, worker, NULL);
  pthread_join(thread, NULL);
  look();
  return 0;
}
