/* SPDX-License-Identifier: Apache-2.0
 *
 * A thread ends itself by the system call, which ends nobody else.
 *
 * verdict: complete
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_int done;

static void *worker(void *unused)
{
  (void)unused;
  atomic_fetch_add(&done, 1);
  syscall(SYS_exit, 7);
  return NULL;
}

int main(void)
{
  pthread_t thread;
  pthread_create(&thread, NULL, worker, NULL);
  atomic_fetch_add(&done, 1);
  pthread_join(thread, NULL);
  assert(done == 2);
  return 0;
}
