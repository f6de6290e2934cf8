/* SPDX-License-Identifier: Apache-2.0
 *
 * Two threads add to a tree under a lock; main looks at a key without it, since nodes stay where they are.
 *
 * verdict: complete
 */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <search.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *root;

static int compare(const void *a, const void *b)
{
  return (long)a - (long)b;
}

static void *work(void *unused)
{
  pthread_mutex_lock(&lock);
  tsearch((void *)1, &root, compare);
  tsearch((void *)2, &root, compare);
  pthread_mutex_unlock(&lock);
  return unused;
}

int main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  pthread_mutex_lock(&lock);
  void **node = tsearch((void *)3, &root, compare);
  pthread_mutex_unlock(&lock);
  assert(*node == (void *)3);
  pthread_join(thread, NULL);
  tdelete((void *)1, &root, compare);
  tdelete((void *)2, &root, compare);
  tdelete((void *)3, &root, compare);
  assert(!root);
  return 0;
}
