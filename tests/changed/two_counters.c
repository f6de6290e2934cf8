/* SPDX-License-Identifier: Apache-2.0
 *
 * Statistics of a server: requests and bytes, each with its lock, and much that is counted rightly. The change made one
 * of the counters a sum that is read, and written back later. Fails if two requests overlap there. */
#include "ordinary.h"

static struct statistics {
  pthread_mutex_t lock;
  int requests, bytes, errors;
} s = {PTHREAD_MUTEX_INITIALIZER, 0, 0, 0};

static void add(int *counter, int n)
{
  pthread_mutex_lock(&s.lock);
  *counter += n;
  pthread_mutex_unlock(&s.lock);
}

static int get(const int *counter)
{
  pthread_mutex_lock(&s.lock);
  int n = *counter;
  pthread_mutex_unlock(&s.lock);
  return n;
}

static void *request(void *unused)
{
  add(&s.requests, 1);
#ifdef OLD
  add(&s.bytes, 10);
#else
  int before = get(&s.bytes);
  pthread_mutex_lock(&s.lock);
  s.bytes = before + 10;
  pthread_mutex_unlock(&s.lock);
#endif
  add(&s.errors, get(&s.requests) > 2);
  count_line();
  return unused;
}

int main(void)
{
  (void)get;
  RUN(request, request);
  assert(s.bytes == 20);
}
