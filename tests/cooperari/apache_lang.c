/* SPDX-License-Identifier: Apache-2.0
 *
 * A range of numbers caches its hash, as in Apache Commons Lang. Whoever finds it missing computes it, and does so in
 * the very field where the others look: first 17, then two more steps. Who looks between two of them goes away with a
 * hash that is not finished, and two who compute at once mix their steps up. No lock is used. In the twin a lock is.
 *
 * verdict: assertion
 * also: race
 */
#include "threads.h"
#include <assert.h>

static struct range {
  int least, most;
  int hash; /* 0: not known yet */
} range = {10, 20, 0};

static int hash_got[THREADS_MOST];

static void hash_in(struct range *r, int value)
{
  r->hash = 37 * r->hash + value;
}

static int hash_of(struct range *r)
{
  if (r->hash == 0) {
    r->hash = 17;
    hash_in(r, r->least);
    hash_in(r, r->most);
  }
  return r->hash;
}

static void look(int number)
{
#ifdef FIXED
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&lock);
  hash_got[number] = hash_of(&range);
  pthread_mutex_unlock(&lock);
#else
  hash_got[number] = hash_of(&range);
#endif
}

int main(int argc, char **argv)
{
  int n = thread_count(argc, argv);

  run_threads(n, look);
  for (int i = 1; i < n; i++)
    assert(hash_got[i] == hash_got[0]);
  return 0;
}
