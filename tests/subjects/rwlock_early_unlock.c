/* SPDX-License-Identifier: Apache-2.0
 *
 * A point that is always on the diagonal. The reader copies x, lets go of the read lock, and copies y, one line too
 * late. If the writer moves the point in between, the reader has seen a place where it never was.
 *
 * verdict: assertion
 * also: race
 * threads: 2
 */
#include <assert.h>
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static struct {
  int x, y;
} point;

static void *reader(void *arg)
{
  pthread_rwlock_rdlock(&lock);
  int x = point.x;
#ifndef FIXED
  pthread_rwlock_unlock(&lock);
#endif
  int y = point.y;
#ifdef FIXED
  pthread_rwlock_unlock(&lock);
#endif
  assert(x == y);
  return arg;
}

int main(void)
{
  pthread_t thread;

  pthread_create(&thread, NULL, reader, NULL);
  pthread_rwlock_wrlock(&lock);
  point.x = 7;
  point.y = 7;
  pthread_rwlock_unlock(&lock);
  pthread_join(thread, NULL);
  return 0;
}
