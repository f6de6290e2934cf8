/* SPDX-License-Identifier: Apache-2.0
 *
 * epoll over a hundred descriptors, taken out in one call.
 *
 * verdict: quiet
 */
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

static int event[100];

static void *writer(void *unused)
{
  (void)unused;
  uint64_t one = 1;
  for (int i = 0; i < 100; i += 10)
    assert(write(event[i], &one, sizeof one) == sizeof one);
  return NULL;
}

int main(void)
{
  struct epoll_event wanted = {.events = EPOLLIN}, ready[100];
  pthread_t thread;
  int seen = 0, set = epoll_create1(0);
  for (int i = 0; i < 100; i++) {
    event[i] = eventfd(0, 0);
    wanted.data.fd = event[i];
    epoll_ctl(set, EPOLL_CTL_ADD, event[i], &wanted);
  }
  pthread_create(&thread, NULL, writer, NULL);
  while (seen < 10) {
    int count = epoll_wait(set, ready, 100, -1);
    assert(count > 0);
    for (int i = 0; i < count; i++) {
      uint64_t value;
      assert(read(ready[i].data.fd, &value, sizeof value) == sizeof value);
    }
    seen += count;
  }
  assert(seen == 10);
  pthread_join(thread, NULL);
  return 0;
}
