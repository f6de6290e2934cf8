/* SPDX-License-Identifier: Apache-2.0
 *
 * select over descriptors above 64.
 *
 * verdict: quiet
 */
#include <assert.h>
#include <pthread.h>
#include <sys/select.h>
#include <unistd.h>

static int ends[60][2];

static void *writer(void *unused)
{
  (void)unused;
  assert(write(ends[59][1], "x", 1) == 1);
  return NULL;
}

int main(void)
{
  pthread_t thread;
  fd_set set;
  FD_ZERO(&set);
  for (int i = 0; i < 60; i++) {
    assert(pipe(ends[i]) == 0);
    FD_SET(ends[i][0], &set);
  }
  pthread_create(&thread, NULL, writer, NULL);
  assert(select(ends[59][1] + 1, &set, NULL, NULL, NULL) == 1);
  assert(FD_ISSET(ends[59][0], &set) && !FD_ISSET(ends[0][0], &set));
  pthread_join(thread, NULL);
  return 0;
}
