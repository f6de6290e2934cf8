/* SPDX-License-Identifier: Apache-2.0
 *
 * A mutex on a bare futex: FREE, LOCKED, or CONTENDED when somebody may be asleep. Ann holds it, Bob and Cid sleep.
 * Ann frees it and wakes Bob. Bob takes it as LOCKED, which forgets that Cid is still asleep; Bob's unlock sees no
 * reason to wake anybody, and Cid sleeps for ever. Whoever has slept must take it as CONTENDED: a wake-up too many is
 * harmless, one too few is not. (The correct form is Drepper's, "Futexes are tricky".)
 *
 * verdict: deadlock
 * threads: 4
 */
#include <assert.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { FREE, LOCKED, CONTENDED };
#ifdef FIXED
enum { AFTER_SLEEP = CONTENDED };
#else
enum { AFTER_SLEEP = LOCKED };
#endif

static atomic_int word = FREE;
static int visitors;

static void lock(void)
{
  int seen = FREE;

  if (atomic_compare_exchange_strong(&word, &seen, LOCKED))
    return;
  do {
    int held = LOCKED;
    atomic_compare_exchange_strong(&word, &held, CONTENDED);
    if (held != FREE)
      syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, CONTENDED, NULL, NULL, 0);
    seen = FREE;
  } while (!atomic_compare_exchange_strong(&word, &seen, AFTER_SLEEP));
}

static void unlock(void)
{
  if (atomic_exchange(&word, FREE) == CONTENDED)
    syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static void *visit(void *arg)
{
  lock();
  visitors++;
  unlock();
  return arg;
}

int main(void)
{
  pthread_t ann, bob, cid;

  pthread_create(&ann, NULL, visit, NULL);
  pthread_create(&bob, NULL, visit, NULL);
  pthread_create(&cid, NULL, visit, NULL);
  pthread_join(ann, NULL);
  pthread_join(bob, NULL);
  pthread_join(cid, NULL);
  assert(visitors == 3);
  return 0;
}
