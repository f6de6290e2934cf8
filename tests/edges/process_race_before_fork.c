/* SPDX-License-Identifier: Apache-2.0
 *
 * One child writes to memory that all share and then says so by a relaxed flag, which orders nothing; main waits for the flag and
 * forks another child, which reads. The write is not ordered before the read, although it always comes long before the reader
 * begins: a race.
 *
 * verdict: found
 * kind: race
 */
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

struct shared {
  atomic_int ready;
  int value;
};

int main(void)
{
  struct shared *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (!fork()) {
    shared->value = 1;
    atomic_store_explicit(&shared->ready, 1, memory_order_relaxed);
    _exit(0);
  }
  while (!atomic_load_explicit(&shared->ready, memory_order_relaxed))
    sched_yield();
  if (!fork())
    _exit(shared->value != 1);
  while (wait(NULL) > 0)
    ;
  return 0;
}
