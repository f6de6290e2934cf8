/* SPDX-License-Identifier: Apache-2.0
 *
 * A thread adds to a tree in which main searches.
 *
 * verdict: find
 */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <search.h>

static void *root;

static int compare(const void *a, const void *b)
{
  return (long)a - (long)b;
}

static void *work(void *unused)
{
  tsearch((void *)1, &root, compare);
  return unused;
}

int main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  void *found = tfind((void *)1, &root, compare);
  pthread_join(thread, NULL);
  assert(!found);
  return 0;
}
