/* SPDX-License-Identifier: Apache-2.0
 *
 * process_vm_readv copies within the process.
 *
 * verdict: quiet
 */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/uio.h>
#include <unistd.h>

static void *worker(void *unused)
{
  return unused;
}

int main(void)
{
  static int from = 42, to;
  struct iovec local = {&to, sizeof to}, remote = {&from, sizeof from};
  pthread_t thread;
  pthread_create(&thread, NULL, worker, NULL);
  long count = process_vm_readv(getpid(), &local, 1, &remote, 1, 0);
  if (count == -1)
    assert(errno == EPERM || errno == ENOSYS);
  else
    assert(count == sizeof to && to == 42);
  pthread_join(thread, NULL);
  return 0;
}
