/* SPDX-License-Identifier: Apache-2.0
 *
 * Schedules of tests: which interleaving a test means, instead of sleep(1).
 *
 *     HD_SCHEDULE(take_waits, "afterAdd1 -> beforeTake1, [beforeTake2] -> beforeAdd2");
 *
 * says that the thread that comes to HD_EVENT(beforeTake1) waits there until another one has come to
 * HD_EVENT(afterAdd1), and that beforeAdd2 waits until the thread that came to beforeTake2 is blocked. Threads wait at
 * events only, and only at those that come too early; the rest is free. Conditions are combined by && and ||; an event
 * of one of several threads is written event@thread, and start@thread and end@thread are events too. An event happens
 * once. A test with several schedules is run with each of them.
 *
 * A bug that was found once is pinned by a schedule that makes it show (heddle schedule writes both, with the events):
 *
 *     HD_PIN(lost_update, "withdraw_has_read@T1 -> withdraw_writes@T2, withdraw_has_written@T2 -> withdraw_writes@T1");
 *
 * The test fails while the bug is there. What mends it usually makes the schedule impossible: then whoever is held is
 * let go, and the test passes if the program does. T1 is the first thread that main creates, T1.2 the second of that.
 *
 * What orderings cannot say, a formula may:
 *
 *     HD_FORMULA(alone, "(put && [taker] -> put) || !(start@taker -> put)");
 *
 * says that taker is blocked when put happens, or has not started. `a` holds at the instant at which a happens, [t]
 * whenever thread t is blocked; f -> g holds if g has never held so far, or f held at or before an instant at which g
 * did; ! && || and parentheses are as usual. The test keeps a formula that holds at its end.
 *
 *   - Under heddle (heddle check, heddle explore), all interleavings that keep the schedule are searched.
 *   - With -lheddle-enforce, the program's own threads are held back while it runs, without heddle.
 *   - Without either, events do nothing.
 */
#ifndef HEDDLE_SCHEDULE_H
#define HEDDLE_SCHEDULE_H

#include "heddle.h"
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#ifdef __cplusplus
extern "C" {
#endif

struct hd_schedule { /* they lie one after the other in a section */
  const char *name, *text, *file;
  unsigned line;
  unsigned kind; /* 1: let go of everybody when it cannot be followed; 2: a formula */
};

/* Outside of functions. */
#define HD_SCHEDULE(name, text) HD__ORDER(name, text, 0)
#define HD_PIN(name, text) HD__ORDER(name, text, 1)
#define HD_FORMULA(name, text) HD__ORDER(name, text, 2)

#define HD__ORDER(name, text, kind)                                                                                    \
  static const struct hd_schedule hd__schedule_##name                                                                  \
      __attribute__((section("heddle_schedules"), used, aligned(8))) = {#name, text, __FILE__, __LINE__, kind}

/* The calling thread comes to the event: HD_EVENT(afterAdd), HD_EVENT(queue.afterAdd). A scheduling point of heddle. */
#define HD_EVENT(name) HD__SAY(hd__event, (#name))

/* In a loop: the event is that a thread comes here for the nth time. */
#define HD_EVENT_NTH(n, name)                                                                                          \
  do {                                                                                                                 \
    static __thread unsigned hd__times;                                                                                \
    if (++hd__times == (n))                                                                                            \
      HD_EVENT(name);                                                                                                  \
  } while (0)

/* Inside of an expression: its value, and then the event, before anything is done with the value; or the event, then
 * its value. event is HD_EVENT(name) or HD_EVENT_NTH(n, name). */
#define HD_THEN(value, event)                                                                                          \
  __extension__({                                                                                                      \
    __typeof__(value) hd__value = (value);                                                                             \
    event;                                                                                                             \
    hd__value;                                                                                                         \
  })
#define HD_FIRST(event, value)                                                                                         \
  __extension__({                                                                                                      \
    event;                                                                                                             \
    (value);                                                                                                           \
  })

/* Behind a wait for a condition variable: the thread leaves its mutex, comes to the event and takes it again, as if it
 * had woken late. */
#define HD_WAKE(mutex, event)                                                                                          \
  do {                                                                                                                 \
    pthread_mutex_unlock(mutex);                                                                                       \
    event;                                                                                                             \
    pthread_mutex_lock(mutex);                                                                                         \
  } while (0)

/* How a thread is called in schedules: the first one is main. A thread is named by who creates it, so that its start
 * has a name too, or by itself before its first event. */
#define HD_CREATE(thread, name, body, arg)                                                                             \
  ((hd__name_next ? hd__name_next(name) : (void)0), pthread_create(thread, NULL, body, arg))
#define HD_NAME_THREAD(name) HD__SAY(hd__name_thread, (name))

/* A check that may fail in any thread: it is told, the test goes on, and the program ends with status 1. Under heddle
 * it is a failed assertion. */
#define HD_CHECK(condition)                                                                                            \
  ((condition) || (hd__check && hd__check(#condition, __FILE__, __LINE__))                                             \
       ? (void)0                                                                                                       \
       : hd__check_failed(#condition, __FILE__, __LINE__))

void hd__schedules(const struct hd_schedule *from, const struct hd_schedule *to) __attribute__((weak));
void hd__name_thread(const char *name) __attribute__((weak));
void hd__name_next(const char *name) __attribute__((weak));
bool hd__check(const char *condition, const char *file, unsigned line) __attribute__((weak));

extern const struct hd_schedule __start_heddle_schedules[] __attribute__((weak, visibility("hidden")));
extern const struct hd_schedule __stop_heddle_schedules[] __attribute__((weak, visibility("hidden")));

__attribute__((constructor)) static void hd__declare_schedules(void)
{
  if (hd__schedules && __start_heddle_schedules)
    hd__schedules(__start_heddle_schedules, __stop_heddle_schedules);
}

__attribute__((weak)) unsigned hd__failed_checks;

static inline __attribute__((unused)) void hd__check_failed(const char *condition, const char *file, unsigned line)
{
  __atomic_add_fetch(&hd__failed_checks, 1, __ATOMIC_RELAXED);
  fprintf(stderr, "%s:%u: check failed: %s\n", file, line, condition);
}

__attribute__((destructor)) static void hd__end_checks(void)
{
  if (!__atomic_load_n(&hd__failed_checks, __ATOMIC_RELAXED))
    return;
  fflush(NULL);
  _exit(1);
}

#ifdef __cplusplus
}
#endif

#endif
