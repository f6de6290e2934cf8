/* SPDX-License-Identifier: Apache-2.0
 *
 * Stress tests of a data structure: many threads, each of which calls many operations picked at random. The driver owns
 * the loops, so heddle can run any part of the test (`heddle minimise` looks for the smallest that fails). What a call
 * does depends on the seed, the number of its thread and its own number only: the others do not change when one is left
 * out.
 *
 *     static void push(unsigned value, unsigned b) { ... }
 *     static void pop(unsigned a, unsigned b) { ... }
 *     HD_STRESS(make_stack, check_stack, 100, 100, HD_OPERATION(push, 50), HD_OPERATION(pop))
 *
 * is a whole program: a hundred threads, a hundred calls each. Arguments are numbers below those that follow the name
 * of the operation, or 0. It is called as PROGRAM [THREADS [CALLS [SEED]]], and runs with heddle or without; without,
 * threads wait for each other before their first call. Two variables of the environment say what it does:
 * HEDDLE_STRESS_KEEP="3:0-4,7;8:2" leaves only those calls of threads 3 and 8, and HEDDLE_STRESS_LIST=1 prints the
 * calls instead of making them.
 */
#ifndef HEDDLE_STRESS_H
#define HEDDLE_STRESS_H

#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef __cplusplus
extern "C" {
#endif

struct hd_operation {
  const char *name;
  void (*call)(unsigned a, unsigned b);
  unsigned a, b; /* the arguments are below these; 0: they are 0 */
};

struct hd_stress {
  const char *file, *setup_name, *check_name;
  void (*setup)(void), (*check)(void);
  unsigned threads, calls, operations;
  const struct hd_operation *operation;
};

/* The first argument is a function void f(unsigned, unsigned). */
#define HD_OPERATION(...) HD__OPERATION(__VA_ARGS__, 0, 0, 0)
/* clang-format off */
#define HD__OPERATION(function, a, b, ...) {#function, function, a, b}
/* clang-format on */

/* In the reduced test that heddle minimise writes, main is another. */
#ifdef HD_STRESS_REDUCED
#define HD_STRESS(setup, check, threads, calls, ...)                                                                   \
  static const struct hd_operation hd__operations[] __attribute__((unused)) = {__VA_ARGS__};
#else
#define HD_STRESS(setup, check, threads, calls, ...)                                                                   \
  static const struct hd_operation hd__operations[] = {__VA_ARGS__};                                                   \
  static const struct hd_stress hd__test = {                                                                           \
      __FILE__,      #setup, #check, setup, check, threads, calls, sizeof hd__operations / sizeof *hd__operations,     \
      hd__operations};                                                                                                 \
  int main(int argc, char **argv)                                                                                      \
  {                                                                                                                    \
    return hd__stress_main(&hd__test, argc, argv);                                                                     \
  }
#endif

/* ---- what heddle answers, when it is there ---- */

#define HD__STARTS 0xfffeu /* instead of a call: main starts, or waits for, the thread */
#define HD__NO_CALL 0xffffu

/* Whether the call is part of the test now; -1: heddle has nothing to say. */
int hd__stress_keeps(unsigned thread, unsigned call) __attribute__((weak));
/* What the calling thread does from now on is for this call of that thread. */
void hd__stress_at(unsigned thread, unsigned call) __attribute__((weak));
/* Whether heddle schedules the threads; if it does not, they wait for each other before their first call. */
int hd__stress_controlled(void) __attribute__((weak));

/* ---- the driver; none of its memory accesses may be a step ---- */

#define HD__UNSEEN static inline __attribute__((no_sanitize("thread"), section(".text.heddle_unseen"), unused))

struct hd__stress_state {
  const struct hd_stress *test;
  const char *keep; /* NULL: all */
  unsigned threads, calls;
  unsigned awaited, arrived; /* threads, at the gate before the first call */
  uint64_t seed;
};
static struct hd__stress_state hd__stress __attribute__((unused));

HD__UNSEEN uint64_t hd__mixed(uint64_t z)
{
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}

/* A number below n for the nth draw of a call; the same whatever else is part of the test. */
HD__UNSEEN unsigned hd_stress_draw(uint64_t seed, unsigned thread, unsigned call, unsigned draw, unsigned n)
{
  uint64_t key = hd__mixed(seed + UINT64_C(0x9e3779b97f4a7c15));
  key = hd__mixed(key ^ ((uint64_t)thread << 40 | (uint64_t)call << 8 | draw));
  return n ? (unsigned)((hd__mixed(key + 1) >> 32) * n >> 32) : 0;
}

HD__UNSEEN unsigned hd__number(const char **at)
{
  unsigned n = 0;
  for (; **at >= '0' && **at <= '9'; ++*at)
    n = n * 10 + (unsigned)(**at - '0');
  return n;
}

/* The list of calls of a thread in HEDDLE_STRESS_KEEP, or NULL. */
HD__UNSEEN const char *hd__calls_of(const char *at, unsigned thread)
{
  while (*at) {
    unsigned of = hd__number(&at);
    if (*at == ':' && of == thread)
      return at + 1;
    while (*at && *at != ';')
      at++;
    at += *at == ';';
  }
  return NULL;
}

/* Whether a list like "0-4,7" has the call. */
HD__UNSEEN int hd__lists(const char *at, unsigned call)
{
  for (;;) {
    unsigned first = hd__number(&at), last = first;
    if (*at == '-') {
      at++;
      last = hd__number(&at);
    }
    if (call >= first && call <= last)
      return 1;
    if (*at != ',')
      return 0;
    at++;
  }
}

HD__UNSEEN int hd_stress_keeps_call(unsigned thread, unsigned call)
{
  int answer = hd__stress_keeps ? hd__stress_keeps(thread, call) : -1;
  if (answer >= 0 || !hd__stress.keep)
    return answer != 0;
  const char *calls = hd__calls_of(hd__stress.keep, thread);
  return calls && hd__lists(calls, call);
}

HD__UNSEEN int hd_stress_keeps_thread(unsigned thread)
{
  for (unsigned call = 0; call < hd__stress.calls; call++)
    if (hd_stress_keeps_call(thread, call))
      return 1;
  return 0;
}

HD__UNSEEN void hd__at(unsigned thread, unsigned call)
{
  if (hd__stress_at)
    hd__stress_at(thread, call);
}

struct hd__call {
  const struct hd_operation *operation;
  unsigned a, b;
};

HD__UNSEEN struct hd__call hd__call_of(unsigned thread, unsigned call)
{
  const struct hd_stress *test = hd__stress.test;
  uint64_t seed = hd__stress.seed;
  const struct hd_operation *o = &test->operation[hd_stress_draw(seed, thread, call, 0, test->operations)];
  struct hd__call chosen = {o, hd_stress_draw(seed, thread, call, 1, o->a),
                            hd_stress_draw(seed, thread, call, 2, o->b)};
  return chosen;
}

/* Threads that the kernel schedules must wait for each other: a short one would end before the next is started. They do
 * not sleep, as to wake up takes longer than a call. */
HD__UNSEEN void hd__gate(void)
{
  if (!hd__stress.awaited)
    return;
  __atomic_add_fetch(&hd__stress.arrived, 1, __ATOMIC_SEQ_CST);
  for (unsigned turn = 1; __atomic_load_n(&hd__stress.arrived, __ATOMIC_SEQ_CST) < hd__stress.awaited; turn++)
    if (turn % 256 == 0)
      sched_yield();
}

/* Before the first thread is started. Without threads to wait for there is no gate. */
HD__UNSEEN void hd__close_gate(void)
{
  if (hd__stress_controlled && hd__stress_controlled())
    return;
  for (unsigned i = 0; i < hd__stress.threads; i++)
    hd__stress.awaited += hd_stress_keeps_thread(i) != 0;
}

/* When a thread is missing. */
HD__UNSEEN void hd__open_gate(void)
{
  __atomic_add_fetch(&hd__stress.arrived, hd__stress.awaited, __ATOMIC_SEQ_CST);
}

HD__UNSEEN void *hd__stress_thread(void *arg)
{
  unsigned thread = (unsigned)(uintptr_t)arg;
  hd__gate();
  for (unsigned call = 0; call < hd__stress.calls; call++) {
    if (!hd_stress_keeps_call(thread, call))
      continue;
    struct hd__call chosen = hd__call_of(thread, call);
    hd__at(thread, call);
    chosen.operation->call(chosen.a, chosen.b);
    hd__at(thread, HD__NO_CALL);
  }
  return NULL;
}

HD__UNSEEN int hd__stress_list(void)
{
  const struct hd_stress *test = hd__stress.test;
  printf("stress %u %u %llu\nfile %s\nsetup %s\ncheck %s\n", hd__stress.threads, hd__stress.calls,
         (unsigned long long)hd__stress.seed, test->file, test->setup_name, test->check_name);
  for (unsigned thread = 0; thread < hd__stress.threads; thread++)
    for (unsigned call = 0; call < hd__stress.calls; call++)
      if (hd_stress_keeps_call(thread, call)) {
        struct hd__call chosen = hd__call_of(thread, call);
        printf("call %u %u %s %u %u\n", thread, call, chosen.operation->name, chosen.a, chosen.b);
      }
  return 0;
}

HD__UNSEEN int hd__stress_run(void)
{
  const struct hd_stress *test = hd__stress.test;
  pthread_t *threads = (pthread_t *)calloc(hd__stress.threads + 1, sizeof *threads);
  unsigned char *started = (unsigned char *)calloc(hd__stress.threads + 1, 1);
  int error = !threads || !started;
  test->setup();
  hd__close_gate();
  for (unsigned i = 0; i < hd__stress.threads && !error; i++) {
    if (!hd_stress_keeps_thread(i))
      continue;
    hd__at(i, HD__STARTS);
    error = pthread_create(&threads[i], NULL, hd__stress_thread, (void *)(uintptr_t)i);
    hd__at(HD__NO_CALL, HD__NO_CALL);
    started[i] = !error;
  }
  if (error)
    hd__open_gate();
  for (unsigned i = 0; i < hd__stress.threads && started; i++) {
    if (!started[i])
      continue;
    hd__at(i, HD__STARTS);
    pthread_join(threads[i], NULL);
    hd__at(HD__NO_CALL, HD__NO_CALL);
  }
  if (error)
    fprintf(stderr, "stress: a thread cannot be started\n");
  else
    test->check();
  free(threads);
  free(started);
  return error ? 2 : 0;
}

HD__UNSEEN int hd__stress_main(const struct hd_stress *test, int argc, char **argv)
{
  hd__stress.test = test;
  hd__stress.threads = argc > 1 ? (unsigned)atoi(argv[1]) : test->threads;
  hd__stress.calls = argc > 2 ? (unsigned)atoi(argv[2]) : test->calls;
  hd__stress.seed = argc > 3 ? (uint64_t)atoll(argv[3]) : 0;
  hd__stress.keep = getenv("HEDDLE_STRESS_KEEP");
  if (hd__stress.threads >= HD__STARTS || hd__stress.calls >= HD__STARTS) {
    fprintf(stderr, "stress: the numbers of threads and of calls must be below %u\n", HD__STARTS);
    return 2;
  }
  return getenv("HEDDLE_STRESS_LIST") ? hd__stress_list() : hd__stress_run();
}

#ifdef __cplusplus
}
#endif

#endif
