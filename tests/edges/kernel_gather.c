/* SPDX-License-Identifier: Apache-2.0
 *
 * writev() takes two variables that another thread changes one after the other: it may see the second change without the
 * first.
 *
 * verdict: find
 */
#include <assert.h>
#include <pthread.h>
#include <sys/uio.h>
#include <unistd.h>

static int first, second, ends[2];

static void *changer(void *unused)
{
  __atomic_store_n(&first, 1, __ATOMIC_SEQ_CST);
  __atomic_store_n(&second, 1, __ATOMIC_SEQ_CST);
  return unused;
}

int main(void)
{
  pthread_t thread;
  int seen[2];
  struct iovec both[2] = {{&first, sizeof first}, {&second, sizeof second}};
  assert(pipe(ends) == 0);
  pthread_create(&thread, NULL, changer, NULL);
  assert(writev(ends[1], both, 2) == sizeof seen);
  assert(read(ends[0], seen, sizeof seen) == sizeof seen);
  assert(seen[0] || !seen[1]);
  pthread_join(thread, NULL);
  return 0;
}
