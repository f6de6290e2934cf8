/* SPDX-License-Identifier: Apache-2.0
 *
 * poll over two hundred pipes, of which a late one is written to.
 *
 * verdict: quiet
 */
#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <unistd.h>

static int ends[200][2];

static void *writer(void *unused)
{
  (void)unused;
  assert(write(ends[199][1], "x", 1) == 1);
  return NULL;
}

int main(void)
{
  struct pollfd wanted[200];
  pthread_t thread;
  for (int i = 0; i < 200; i++) {
    assert(pipe(ends[i]) == 0);
    wanted[i] = (struct pollfd){ends[i][0], POLLIN, 0};
  }
  pthread_create(&thread, NULL, writer, NULL);
  assert(poll(wanted, 200, -1) == 1);
  assert(wanted[199].revents == POLLIN);
  pthread_join(thread, NULL);
  return 0;
}
