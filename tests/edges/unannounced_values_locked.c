/* SPDX-License-Identifier: Apache-2.0
 *
 * Structures are given, returned, copied and compared, all with a lock: it is correct, and small for the search.
 *
 * verdict: complete
 */
#include <assert.h>
#include <pthread.h>

struct pair {
  int a, b;
};
struct numbers {
  long n[6];
  struct pair pair;
};
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct numbers shared, copy;
static const int table[] = {3, 1, 2};

__attribute__((noinline)) static struct numbers grown(struct numbers all, struct pair by)
{
  int local[8];
  for (int i = 0; i < 8; i++)
    local[i] = i * by.a;
  for (int i = 0; i < 6; i++)
    all.n[i] += local[i] + table[i % 3];
  all.pair.a++;
  return all;
}

static void *worker(void *unused)
{
  pthread_mutex_lock(&mutex);
  shared = grown(shared, shared.pair);
  copy = shared;
  pthread_mutex_unlock(&mutex);
  return unused;
}

int main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, worker, NULL);
  worker(NULL);
  pthread_join(thread, NULL);
  assert(shared.pair.a == 2 && copy.n[1] == 3);
  return 0;
}
