/* SPDX-License-Identifier: Apache-2.0
 *
 * One thread polls with a set that main looks at.
 *
 * verdict: find
 */
#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <unistd.h>

static struct pollfd set;

static void *poller(void *unused)
{
  poll(&set, 1, -1);
  return unused;
}

int main(void)
{
  pthread_t thread;
  int ends[2];
  assert(pipe(ends) == 0);
  set = (struct pollfd){.fd = ends[0], .events = POLLIN};
  pthread_create(&thread, NULL, poller, NULL);
  assert(write(ends[1], "x", 1) == 1);
  assert(__atomic_load_n(&set.revents, __ATOMIC_SEQ_CST) == 0);
  pthread_join(thread, NULL);
  return 0;
}
