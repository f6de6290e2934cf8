/* SPDX-License-Identifier: Apache-2.0
 *
 * Watching a test with a pinned bug; see order_watch.h.
 *
 * That every thread is held or sleeps in the kernel with nobody but the others to wake it is a state that cannot end by
 * itself, however slow the machine is: a thread that was woken, or was let go, no longer sleeps even while there is no
 * processor for it. The threads are looked at one after the other, so some looks must find the same and nothing
 * changed. A thread that spins never stands; what is held then is let go after a part of the time that the test may
 * take.
 */
#include "enforce/order_watch.h"
#include "enforce/order_keeping.h"
#include "enforce/order_real.h"
#include "enforce/order_threads.h"
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>

#define LOOK_EVERY 4000000L /* nanoseconds */
#define LOOKS 4             /* so many in a row must find that all stand */
#define HELD_PART 10        /* of the limit, one thread may be held while others compute */

static unsigned limit;

static double now(void)
{
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void *watch(void *unused)
{
  const double began = now();
  double changed = began; /* when something did */
  uint32_t seen = order_looks();
  unsigned looks = 0;
  bool released = false;
  order_thread_is_ours();
  for (;;) {
    nanosleep(&(struct timespec){.tv_nsec = LOOK_EVERY}, NULL);
    const bool stands = order_all_stand();
    const enum held held = order_held();
    const uint32_t current = order_looks();
    looks = stands && held != HELD_CAN_GO_ON && current == seen ? looks + 1 : 0;
    changed = current == seen && held == HELD_SOME ? changed : now();
    seen = current;
    if (looks >= LOOKS && held == HELD_NONE)
      order_fail("fails: nobody can go on");
    if (!released && (looks >= LOOKS || now() - changed > (double)limit / HELD_PART)) {
      released = true;
      order_release("cannot be followed here, and lets go");
    }
    if (now() - began > limit)
      order_fail("fails: the test does not end (HEDDLE_PIN_LIMIT)");
  }
  return unused;
}

void order_watch_pin(unsigned seconds)
{
  pthread_t thread;
  pthread_attr_t attributes;
  sigset_t all, before;
  limit = seconds;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  if (REAL(pthread_create)(&thread, &attributes, watch, NULL) != 0)
    order_fail("cannot be watched: there is no thread for it");
  pthread_attr_destroy(&attributes);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
}
