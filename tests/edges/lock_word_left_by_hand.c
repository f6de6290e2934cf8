/* SPDX-License-Identifier: Apache-2.0
 *
 * A lock made of a word with the number of its owner: free, it is taken and left without the kernel, else the kernel
 * hands it over (FUTEX_LOCK_PI, FUTEX_UNLOCK_PI). One of three threads leaves it by
 * hand, so that those who wait for the kernel wait for ever.
 *
 * verdict: found
 * kind: deadlock
 */
#define _GNU_SOURCE
#include <assert.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

static uint32_t word;
static int count;

static void change(uint32_t from, uint32_t to, int else_call)
{
  if (!__atomic_compare_exchange_n(&word, &from, to, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
    assert(syscall(SYS_futex, &word, else_call, 0, NULL, NULL, 0) == 0);
}

static void *worker(void *unused)
{
  uint32_t self = (uint32_t)gettid();
  change(0, self, FUTEX_LOCK_PI_PRIVATE);
  count++;
  if (unused)
    __atomic_store_n(&word, 0, __ATOMIC_SEQ_CST);
  else
    change(self, 0, FUTEX_UNLOCK_PI_PRIVATE);
  return unused;
}

int main(void)
{
  pthread_t thread[2];
  for (int i = 0; i < 2; i++)
    pthread_create(&thread[i], NULL, worker, i ? NULL : &word);
  worker(NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(thread[i], NULL);
  assert(count == 3 && word == 0);
  return 0;
}
