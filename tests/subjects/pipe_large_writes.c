/* SPDX-License-Identifier: Apache-2.0
 *
 * Two threads write a record each to one pipe. The records are larger than the pipe, so that they are written in
 * parts, and parts of the one may come between parts of the other. The twin writes them under a lock.
 *
 * verdict: assertion
 * threads: 3
 * runs: 300
 */
#include <assert.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#define RECORD 70000

static int fds[2];
static char text[2][RECORD];
#ifdef FIXED
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
#endif

static void put(int which)
{
#ifdef FIXED
  pthread_mutex_lock(&lock);
#endif
  assert(write(fds[1], text[which], RECORD) == RECORD);
#ifdef FIXED
  pthread_mutex_unlock(&lock);
#endif
}

static void *first(void *arg)
{
  put(0);
  return arg;
}

static void *second(void *arg)
{
  put(1);
  return arg;
}

/* How often the one letter follows the other. */
static int changes(void)
{
  static char some[4096];
  int n = 0;
  char last = 0;
  for (size_t got = 0; got < 2 * RECORD;) {
    ssize_t more = read(fds[0], some, sizeof some);
    assert(more > 0);
    for (ssize_t i = 0; i < more; i++) {
      n += last && some[i] != last;
      last = some[i];
    }
    got += (size_t)more;
  }
  return n;
}

int main(void)
{
  pthread_t a, b;

  assert(pipe(fds) == 0);
  memset(text[0], 'a', RECORD);
  memset(text[1], 'b', RECORD);
  pthread_create(&a, NULL, first, NULL);
  pthread_create(&b, NULL, second, NULL);
  assert(changes() == 1);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  close(fds[0]);
  close(fds[1]);
  return 0;
}
