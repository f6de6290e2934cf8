/* SPDX-License-Identifier: Apache-2.0
 *
 * heddle for tests: explore the schedules of a function body from inside any test framework, and a few words a program
 * can say to the scheduler.
 *
 * A program that includes this header needs nothing else: linked with heddle (heddle cc, or -lheddle) the calls work;
 * linked without it they do nothing, and hd_explore() runs the body once. Run under `heddle check`, hd_explore() runs
 * the body once too: the whole program is being explored already.
 */
#ifndef HEDDLE_H
#define HEDDLE_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum hd_races { HD_RACES_REPORT = 0, HD_RACES_IGNORE = 1, HD_RACES_FAIL = 2 };

/* All zero means the defaults. */
struct hd_options {
  const char *strategy; /* "rr", "random", "pct", "pos", "abreast"; NULL: all of them in turns; "dpor": all
                           interleavings that can matter, none twice; "dfs": all there are */
  uint64_t seed;        /* the same seed gives the same executions */
  uint64_t executions;  /* at most so many; 0: 10,000 */
  double seconds;       /* at most so long; 0: 10 */
  uint64_t max_steps;   /* of one execution before it counts as hanging; 0: 100,000 */
  enum hd_races races;  /* a data race is told in the verdict (the default), ignored, or fails it */
  unsigned spurious;    /* condition variables may wake up for no reason */
};

struct hd_verdict {
  bool ok;             /* no bug was found and nothing went wrong */
  bool error;          /* heddle could not do it; message says why */
  uint64_t executions; /* that were run */
  uint64_t execution;  /* the one that showed the bug, from 1; 0: none did */
  unsigned races;      /* data races seen, whether they failed it or not */
  char kind[16];       /* "assertion", "deadlock", ...; empty when ok */
  char where[192];     /* "file.c:12" if it is known, else empty */
  char message[512];   /* one line; empty when ok */
  bool complete;       /* "dpor" and "dfs": there are no other executions */
};

/* Run body(arg) under many schedules, each from the state the process is in now, and put that state back. The bug in
 * the verdict has been replayed. The body starts threads as it likes; those still running when it returns are
 * abandoned. Can be called many times in one process. */
struct hd_verdict hd__explore(const struct hd_options *options, void (*body)(void *), void *arg) __attribute__((weak));
unsigned hd__choose(unsigned n) __attribute__((weak));
void hd__assume(bool condition) __attribute__((weak));
void hd__yield(void) __attribute__((weak));
void hd__event(const char *name) __attribute__((weak));

static inline struct hd_verdict hd_explore(const struct hd_options *options, void (*body)(void *), void *arg)
{
  if (hd__explore)
    return hd__explore(options, body, arg);
  struct hd_verdict verdict = {true, false, 1, 0, 0, "", "", "", false};
  body(arg);
  return verdict;
}

/* A number below n, another one in other executions: data the test does not fix. 0 without heddle. */
static inline unsigned hd_choose(unsigned n)
{
  return hd__choose ? hd__choose(n) : 0;
}

/* Executions in which the condition does not hold are of no interest: they end here and count as cut short. */
static inline void hd_assume(bool condition)
{
  if (hd__assume)
    hd__assume(condition);
}

/* Leaves out a function, as the test's own bookkeeping: what it does to memory is not seen, whatever it is. A verdict
 * is then about the rest, and says so: no search of such a program is complete. */
#define HD_UNSEEN __attribute__((no_sanitize("thread"), noinline, section("heddle_left_out")))

/* Races on this variable are meant to be, and are not told: HD_BENIGN static unsigned long hits; What it does in a
 * schedule is tried as ever. For variables outside of functions. */
#define HD_BENIGN __attribute__((section("heddle_benign")))

/* The same for any memory, from now on, as a statement: HD_BENIGN_RACE(cache->hits); */
#define HD_BENIGN_RACE(variable)                                                                                       \
  HD__SAY(hd__benign, ((const volatile char *)&(variable), (const volatile char *)&(variable) + sizeof(variable)))

/* A scheduling point at which other threads should go first. */
static inline void hd_yield(void)
{
  if (hd__yield)
    hd__yield();
}

/* A scheduling point with a name, for traces and for the schedules of tests (heddle_schedule.h). */
static inline void hd_event(const char *name)
{
  if (hd__event)
    hd__event(name);
}

/* Hotspots: statements that say whether executions come there. HD_NEVER and HD_ALWAYS are checked in every execution,
 * HD_SOMETIMES over all of a session; how often each was reached is told at its end. Not a scheduling point. */
#define HD_ALWAYS(name) HD__HOTSPOT(name, 0)
#define HD_NEVER(name) HD__HOTSPOT(name, 1)
#define HD_SOMETIMES(name) HD__HOTSPOT(name, 2)

struct hd_hotspot { /* they lie one after the other in a section */
  const char *name, *file;
  unsigned line, expectation;
};

void hd__hotspot(const struct hd_hotspot *spot) __attribute__((weak));
void hd__hotspots(const struct hd_hotspot *from, const struct hd_hotspot *to) __attribute__((weak));

#define HD__HOTSPOT(name, expectation)                                                                                 \
  do {                                                                                                                 \
    static const struct hd_hotspot hd__spot                                                                            \
        __attribute__((section("heddle_hotspots"), used, aligned(8))) = {name, __FILE__, __LINE__, expectation};       \
    if (hd__hotspot)                                                                                                   \
      hd__hotspot(&hd__spot);                                                                                          \
  } while (0)

/* Conditions: what waits and signals depend on, so that `heddle predict` also knows of those that did not happen
 * because their condition did not hold. A predicate holds when the guarded operation is to happen: for `while (full)
 * wait` it is "full". Threads run one at a time, so its changes are noticed by themselves; HD_CHANGED() is for programs
 * that were not built with heddle's compiler. Its function must not lock, wait or create anything. Every path that
 * begins a guard must end it.
 *
 *     HD_PREDICATE(&full, "full", is_full, &buffer);
 *     HD_WAIT_BEGIN(&full, &not_full, &lock);
 *     while (is_full(&buffer))
 *       pthread_cond_wait(&not_full, &lock);
 *     HD_WAIT_END(&full);
 */
struct hd_predicate { /* yours to keep as long as it is used; filled in by HD_PREDICATE */
  const char *name;
  bool (*holds)(void *of);
  void *of;
};

enum hd_notify { HD_SIGNAL, HD_BROADCAST };

#define HD_PREDICATE(predicate, name, holds, of) HD__SAY(hd__predicate, (predicate, name, holds, of))
#define HD_PREDICATE_END(predicate) HD__SAY(hd__predicate_end, (predicate))
#define HD_WAIT_BEGIN(predicate, cond, mutex) HD__SAY(hd__wait_begin, (predicate, cond, mutex))
#define HD_WAIT_END(predicate) HD__SAY(hd__guard_end, (predicate))
#define HD_NOTIFY_BEGIN(predicate, cond, mutex, kind) HD__SAY(hd__notify_begin, (predicate, cond, mutex, kind))
#define HD_NOTIFY_END(predicate) HD__SAY(hd__guard_end, (predicate))
#define HD_CHANGED() HD__SAY(hd__changed, ())

/* A macro, so that the place is the caller's. */
#define HD__SAY(function, arguments)                                                                                   \
  do {                                                                                                                 \
    if (function)                                                                                                      \
      function arguments;                                                                                              \
  } while (0)

void hd__predicate(struct hd_predicate *predicate, const char *name, bool (*holds)(void *), void *of)
    __attribute__((weak));
void hd__predicate_end(struct hd_predicate *predicate) __attribute__((weak));
void hd__wait_begin(struct hd_predicate *predicate, void *cond, void *mutex) __attribute__((weak));
void hd__notify_begin(struct hd_predicate *predicate, void *cond, void *mutex, enum hd_notify kind)
    __attribute__((weak));
void hd__guard_end(struct hd_predicate *predicate) __attribute__((weak));
void hd__changed(void) __attribute__((weak));

void hd__benign(const volatile char *from, const volatile char *to) __attribute__((weak));
void hd__left_out(const char *from, const char *to) __attribute__((weak));

extern const char __start_heddle_benign[] __attribute__((weak, visibility("hidden")));
extern const char __stop_heddle_benign[] __attribute__((weak, visibility("hidden")));
extern const char __start_heddle_left_out[] __attribute__((weak, visibility("hidden")));
extern const char __stop_heddle_left_out[] __attribute__((weak, visibility("hidden")));

__attribute__((constructor)) static void hd__declare_sections(void)
{
  if (hd__benign && __start_heddle_benign)
    hd__benign(__start_heddle_benign, __stop_heddle_benign);
  if (hd__left_out && __start_heddle_left_out)
    hd__left_out(__start_heddle_left_out, __stop_heddle_left_out);
}

/* All hotspots of the module are declared before main: those that are never reached, too. */
extern const struct hd_hotspot __start_heddle_hotspots[] __attribute__((weak, visibility("hidden")));
extern const struct hd_hotspot __stop_heddle_hotspots[] __attribute__((weak, visibility("hidden")));

__attribute__((constructor)) static void hd__declare_hotspots(void)
{
  if (hd__hotspots && __start_heddle_hotspots)
    hd__hotspots(__start_heddle_hotspots, __stop_heddle_hotspots);
}

/* A call on an object, for types whose functions cannot be named with --calls: a scheduling point, and one of the calls
 * whose order heddle predict looks at. The first two are names: HD_CALL(conn, c, "send"). */
#define HD_CALL(type, object, method)                                                                                  \
  do {                                                                                                                 \
    static const struct hd_call hd__this __attribute__((section("heddle_calls"), used, aligned(8))) = {#type, method}; \
    if (hd__call)                                                                                                      \
      hd__call(&hd__this, object);                                                                                     \
  } while (0)

struct hd_call {
  const char *type, *method;
};

void hd__call(const struct hd_call *call, const void *object) __attribute__((weak));
void hd__calls(const struct hd_call *from, const struct hd_call *to) __attribute__((weak));

extern const struct hd_call __start_heddle_calls[] __attribute__((weak, visibility("hidden")));
extern const struct hd_call __stop_heddle_calls[] __attribute__((weak, visibility("hidden")));

__attribute__((constructor)) static void hd__declare_calls(void)
{
  if (hd__calls && __start_heddle_calls)
    hd__calls(__start_heddle_calls, __stop_heddle_calls);
}

#ifndef __cplusplus

/* Tests of cmocka and of Check whose body is explored. Instead of
 *
 *     static void adds_up(void **state) { ... }     write   HD_CMOCKA_TEST(adds_up) { ... }
 *     START_TEST(adds_up) { ... } END_TEST          write   HD_CHECK_TEST(adds_up) { ... }
 *
 * and use the name as before; options can follow it: HD_CMOCKA_TEST(adds_up, .executions = 500). The body has the
 * argument it always has, state or _i. A failed check in it is the bug of that execution and fails the test with its
 * message, its place and the number of the execution. Without heddle it is the plain test. Check must be linked by
 * heddle cc, else its failed checks are told as an exit status. */

#define HD__FAILURE "%s%s%s (execution %llu of %llu)"
#define HD__FAILURE_OF(v)                                                                                              \
  (v).message, *(v).where ? ", " : "", (v).where, (unsigned long long)(v).execution + 1,                               \
      (unsigned long long)(v).executions

#define HD_CMOCKA_TEST(name, ...)                                                                                      \
  static void name##_body(void **state);                                                                               \
  static void name##_explored(void *state)                                                                             \
  {                                                                                                                    \
    name##_body((void **)state);                                                                                       \
  }                                                                                                                    \
  static void name(void **state)                                                                                       \
  {                                                                                                                    \
    struct hd_verdict hd_verdict = hd_explore(&(struct hd_options){__VA_ARGS__}, name##_explored, state);              \
    if (!hd_verdict.ok)                                                                                                \
      fail_msg(HD__FAILURE, HD__FAILURE_OF(hd_verdict));                                                               \
  }                                                                                                                    \
  static void name##_body(void **state __attribute__((unused)))

#define HD_CHECK_TEST(name, ...)                                                                                       \
  static void name##_body(int _i);                                                                                     \
  static void name##_explored(void *i)                                                                                 \
  {                                                                                                                    \
    name##_body(*(int *)i);                                                                                            \
  }                                                                                                                    \
  START_TEST(name)                                                                                                     \
  {                                                                                                                    \
    struct hd_verdict hd_verdict = hd_explore(&(struct hd_options){__VA_ARGS__}, name##_explored, &_i);                \
    if (!hd_verdict.ok)                                                                                                \
      ck_abort_msg(HD__FAILURE, HD__FAILURE_OF(hd_verdict));                                                           \
  }                                                                                                                    \
  END_TEST                                                                                                             \
  static void name##_body(int _i __attribute__((unused)))

#endif

#ifdef __cplusplus
}
#endif

#endif
