/* SPDX-License-Identifier: Apache-2.0
 *
 * Looking for deadlocks; see property_standstill.h.
 *
 * A thread counts as blocked if a property holds it, or if it is in a call that waits for other threads of the process
 * (order_calls.c) and the kernel says that it sleeps there for no limited time. Two looks in a row must find all
 * threads so, with nothing done in between. A program that catches signals could be let go by one, so there only a
 * standstill where every thread is held by a property counts; so does a circle of threads that wait for each other's
 * mutexes, whatever the others do.
 */
#include "enforce/property_standstill.h"
#include "core/without_libc.h"
#include "enforce/order_lock.h"
#include "enforce/order_threads.h"
#include "enforce/property_choices.h"
#include "enforce/property_handlers.h"
#include "enforce/property_keeping.h"
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LOOK_EACH UINT64_C(150000000)     /* nanoseconds */
#define LOOK_EXPLORING UINT64_C(10000000) /* where time is spent on many runs */
#define LONG_HELD UINT64_C(6000000000)    /* is told */
#define TEXT 16384
#define DEADLOCK_STATUS 3

static bool is_live(const struct order_thread *t)
{
  return __atomic_load_n(&t->tid, __ATOMIC_ACQUIRE) && !__atomic_load_n(&t->ended, __ATOMIC_ACQUIRE);
}

static const struct property_hold *hold_of(const struct order_thread *t)
{
  return __atomic_load_n(&t->hold, __ATOMIC_ACQUIRE);
}

/* Without asking the kernel: whether all threads may be blocked, how many are held, and what was done so far. */
static bool may_stand(unsigned *held, unsigned *others, uint64_t *done)
{
  *held = *others = 0;
  *done = property_progress();
  for (unsigned i = 0; i < order_thread_count(); i++) {
    const struct order_thread *t = order_thread(i);
    *done += __atomic_load_n(&t->moves, __ATOMIC_RELAXED);
    if (!is_live(t))
      continue;
    if (hold_of(t))
      ++*held;
    else if (order_thread_may_block(t) && !__atomic_load_n(&t->timed, __ATOMIC_RELAXED))
      ++*others;
    else
      return false;
  }
  return *held + *others;
}

#define SIGNAL(number) (UINT64_C(1) << ((number)-1))

/* Whether the program has handlers of signals that others may send: "SigCgt:\t0000000180000000". Two are of the C
 * library itself, and those of faults are sent by nobody. */
static bool catches_signals(void)
{
  static const uint64_t uninteresting = SIGNAL(32) | SIGNAL(33) | SIGNAL(SIGILL) | SIGNAL(SIGTRAP) | SIGNAL(SIGABRT) |
                                        SIGNAL(SIGBUS) | SIGNAL(SIGFPE) | SIGNAL(SIGSEGV) | SIGNAL(SIGSYS);
  char text[4096];
  int fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
  ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
  if (fd >= 0)
    close(fd);
  text[n > 0 ? n : 0] = 0;
  const char *caught = strstr(text, "SigCgt:");
  return !caught || strtoull(caught + 7, NULL, 16) & ~uninteresting;
}

/* ---- mutexes ---- */

static bool waits_for_mutex(const struct order_thread *t)
{
  const char *call = __atomic_load_n(&t->waits_in, __ATOMIC_ACQUIRE);
  return call && is_live(t) && (!strcmp(call, "pthread_mutex_lock") || !strcmp(call, "mtx_lock"));
}

/* Who has the mutex that the thread waits for, NULL: nobody that is known. */
static const struct order_thread *owner_of(const struct order_thread *t)
{
  const pthread_mutex_t *mutex = (const pthread_mutex_t *)__atomic_load_n(&t->waits_for, __ATOMIC_RELAXED);
  int owner = mutex ? __atomic_load_n(&mutex->__data.__owner, __ATOMIC_RELAXED) : 0;
  for (unsigned i = 0; owner && i < order_thread_count(); i++)
    if (is_live(order_thread(i)) && __atomic_load_n(&order_thread(i)->tid, __ATOMIC_ACQUIRE) == owner)
      return order_thread(i);
  return NULL;
}

/* Whether it waits, by way of mutexes and those who have them, for itself. */
static bool waits_for_itself(const struct order_thread *t)
{
  const struct order_thread *at = t;
  for (unsigned i = 0; i < order_thread_count() && at && waits_for_mutex(at); i++)
    if ((at = owner_of(at)) == t)
      return true;
  return false;
}

/* How many do, and what they did so far. */
static unsigned in_circles(uint64_t *done)
{
  unsigned count = 0;
  *done = 0;
  for (unsigned i = 0; i < order_thread_count(); i++)
    if (waits_for_mutex(order_thread(i)) && waits_for_itself(order_thread(i))) {
      count++;
      *done += (i + 1) * __atomic_load_n(&order_thread(i)->moves, __ATOMIC_RELAXED);
    }
  return count;
}

/* ---- telling ---- */

static size_t describe_wait(const struct order_thread *t, const char *call, char *out, size_t size)
{
  uintptr_t object = __atomic_load_n(&t->waits_for, __ATOMIC_RELAXED);
  char name[64];
  size_t n = print_text(out, size, " is blocked in %s(", call);
  const struct order_thread *other = waits_for_mutex(t) ? owner_of(t) : NULL;
  if (!strcmp(call, "pthread_join") || !strcmp(call, "thrd_join")) {
    for (unsigned i = 0; i < order_thread_count() && !other; i++)
      if (order_thread(i)->tid && pthread_equal(order_thread(i)->id, (pthread_t)object))
        other = order_thread(i);
    n += print_text(out + n, size - n, other ? ") for %s\n" : ")\n", order_thread_text(other, name, sizeof name));
    return n;
  }
  n += print_text(out + n, size - n, "0x%lx)", (unsigned long)object);
  if (other)
    n += print_text(out + n, size - n, ", which %s has", order_thread_text(other, name, sizeof name));
  n += print_text(out + n, size - n, "\n");
  return n;
}

static size_t describe_thread(const struct order_thread *t, char *out, size_t size)
{
  const struct property_hold *hold = hold_of(t);
  const char *call = __atomic_load_n(&t->waits_in, __ATOMIC_ACQUIRE);
  char name[64];
  size_t n = print_text(out, size, "  %s", order_thread_text(t, name, sizeof name));
  if (hold) {
    n += print_text(out + n, size - n, " is held before ");
    n += property_reading_text(&hold->reading, out + n, size - n);
    n += property_states_text(&hold->reading, out + n, size - n);
    n += print_text(out + n, size - n, "\n");
  } else if (call) {
    n += describe_wait(t, call, out + n, size - n);
  } else {
    n += print_text(out + n, size - n, " runs\n");
  }
  return n;
}

static void tell(const char *what, bool circles)
{
  static char text[TEXT];
  size_t n = print_text(text, sizeof text, "heddle: %s\n", what);
  for (unsigned i = 0; i < order_thread_count() && n < sizeof text - 512; i++)
    if (is_live(order_thread(i)) && (!circles || waits_for_itself(order_thread(i))))
      n += describe_thread(order_thread(i), text + n, sizeof text - n);
  order_say(text, n);
}

/* What the program has printed, unless somebody is just at it. */
static _Noreturn void end_process(void)
{
  FILE *streams[] = {stdout, stderr};
  for (unsigned i = 0; i < 2; i++)
    if (ftrylockfile(streams[i]) == 0)
      fflush_unlocked(streams[i]);
  _exit(DEADLOCK_STATUS);
}

/* Of each property once. */
static void run_handler(const struct property_reading *reading)
{
  static uint64_t handled;
  uint32_t property = properties_kept()->rule[reading->rule].property;
  if (!(handled >> property & 1))
    property_handle_deadlock(reading);
  handled |= UINT64_C(1) << property;
}

static void run_handlers(void)
{
  for (unsigned i = 0; i < order_thread_count(); i++) {
    const struct property_hold *hold = is_live(order_thread(i)) ? hold_of(order_thread(i)) : NULL;
    if (hold)
      run_handler(&hold->reading);
  }
}

/* ---- looking ---- */

/* Whether it waits for a mutex of that one, or of one that does. */
static bool waits_behind(const struct order_thread *t, const struct order_thread *other)
{
  const struct order_thread *at = t;
  for (unsigned i = 0; i < order_thread_count() && at && waits_for_mutex(at); i++)
    if ((at = owner_of(at)) == other)
      return true;
  return false;
}

/* Held for ever, while others run. */
static void tell_partial(const struct order_thread *t, const struct property_reading *reading)
{
  static char text[TEXT];
  size_t n = print_text(text, sizeof text,
                        "heddle: enforced deadlock of some threads, while others run: whatever comes, "
                        "%s does not allow it\n",
                        properties_kept()->property[properties_kept()->rule[reading->rule].property].name);
  for (unsigned i = 0; i < order_thread_count() && n < sizeof text - 512; i++)
    if (order_thread(i) == t || (is_live(order_thread(i)) && waits_behind(order_thread(i), t)))
      n += describe_thread(order_thread(i), text + n, sizeof text - n);
  order_say(text, n);
  run_handler(reading);
}

/* Some may be held for ever while others run. Where that can be known it is told at once, and else when it takes long.
 */
static void tell_long_holds(void)
{
  static uint64_t hold[ORDER_THREADS_MOST];
  static uint32_t looks[ORDER_THREADS_MOST];
  static bool told[PROPERTIES];
  char text[1024];
  for (unsigned i = 0; i < order_thread_count(); i++) {
    const struct order_thread *t = order_thread(i);
    const uint64_t current = __atomic_load_n(&t->holds, __ATOMIC_RELAXED);
    looks[i] = is_live(t) && hold_of(t) && current == hold[i] ? looks[i] + 1 : 0;
    hold[i] = current;
    const struct property_hold *held = looks[i] == 2 ? hold_of(t) : NULL; /* by now what it is before is written */
    if (held && !told[properties_kept()->rule[held->reading.rule].property] && property_is_hopeless(&held->reading)) {
      told[properties_kept()->rule[held->reading.rule].property] = true;
      tell_partial(t, &held->reading);
    }
    if (looks[i] != LONG_HELD / LOOK_EACH)
      continue;
    size_t n = print_text(text, sizeof text, "heddle: held for %u s now, while others run:\n",
                          (unsigned)(LONG_HELD / UINT64_C(1000000000)));
    n += describe_thread(t, text + n, sizeof text - n);
    order_say(text, n);
  }
}

struct standstill {
  bool stood, circled;
  uint64_t done, circle;
};

static void look(struct standstill *last)
{
  unsigned held = 0, others = 0;
  struct standstill now = {0};
  now.stood = may_stand(&held, &others, &now.done) && order_all_stand() && (!others || !catches_signals());
  now.circled = in_circles(&now.circle);
  bool stands = now.stood && last->stood && now.done == last->done;
  bool circles = now.circled && last->circled && now.circle == last->circle;
  *last = now;
  if (stands && choice_let_go()) {
    last->stood = false;
  } else if (stands) {
    choices_end(held ? CHOICES_ENFORCED_DEADLOCK : CHOICES_PROGRAM_DEADLOCK);
    tell(held ? "enforced deadlock: nobody can go on without leaving a property" : "deadlock of the program", false);
    run_handlers();
    end_process();
  } else if (circles) {
    choices_end(CHOICES_PROGRAM_DEADLOCK);
    tell("deadlock of the program: threads wait for each other's mutexes", true);
    end_process();
  }
}

static void *watch(void *unused)
{
  static uint32_t never;
  struct standstill last = {0};
  property_enter();
  order_thread_is_ours();
  for (;;) {
    order_sleep(&never, 0, choices_are_made() ? LOOK_EXPLORING : LOOK_EACH);
    look(&last);
    if (!choices_are_made())
      tell_long_holds();
  }
  return unused;
}

void standstill_watch(void)
{
  pthread_t thread;
  pthread_attr_t attributes;
  sigset_t all, blocked;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &blocked);
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  bool before = property_enter(); /* it is none of the program's */
  pthread_create(&thread, &attributes, watch, NULL);
  property_leave(before);
  pthread_attr_destroy(&attributes);
  pthread_sigmask(SIG_SETMASK, &blocked, NULL);
}
