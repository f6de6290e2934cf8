/* SPDX-License-Identifier: Apache-2.0
 *
 * One program that is many, for properties: it interprets the little program given as its argument, whose steps are
 * what events of specifications come from. Made by tests/generate/properties.py; by hand, for example
 *
 *     properties 'call0:0 lock:0 ; write:0 call1:0 ; unlock:1'
 *
 * Sections are divided by ';': the first is what main does between creating the threads and joining them, each further
 * one is a thread. A step is a name and numbers, as in STEPS below. Only who holds a mutex unlocks it.
 *
 * The interpreter is compiled without instrumentation (MACHINE), so it adds no memory accesses to those of the program
 * it runs: these are the functions below marked SHARED.
 */
#define _GNU_SOURCE
#include <heddle.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MACHINE __attribute__((no_sanitize_thread, noinline, section(".text.heddle_unseen"))) static
#define SHARED __attribute__((noinline)) static

enum { THREADS = 6, STEPS_MAX = 32, OBJECTS = 2 };

/* Whose calls are events; those with objects are given their addresses, the others a number. */
__attribute__((noinline)) void call0(void *object) { __asm__ volatile("" ::"r"(object)); }
__attribute__((noinline)) void call1(void *object) { __asm__ volatile("" ::"r"(object)); }
__attribute__((noinline)) int result(int number)
{
  __asm__ volatile("" : "+r"(number));
  return number;
}
__attribute__((noinline)) void handled(void *object) { __asm__ volatile("" ::"r"(object)); }

int object[OBJECTS], x0, x1, hidden;
pthread_mutex_t m0 = PTHREAD_MUTEX_INITIALIZER, m1 = PTHREAD_MUTEX_INITIALIZER;
static sem_t semaphores[OBJECTS];
static _Atomic(void *) block[OBJECTS];
static pthread_t thread[THREADS];

/*  X(name, what it does with its number n; t: of the thread, held: of its mutexes) */
#define STEPS(X)                                                                                                       \
  X(call0, call0(&object[n]))                                                                                          \
  X(call1, call1(&object[n]))                                                                                          \
  X(block0, call0(block[n]))                                                                                           \
  X(block1, call1(block[n]))                                                                                           \
  X(renew, (free(block[n]), block[n] = malloc(8)))                                                                     \
  X(result, result(n))                                                                                                 \
  X(read, hidden = n ? x1 : x0)                                                                                        \
  X(write, *(n ? &x1 : &x0) = t)                                                                                       \
  X(lock, (held[n] || (held[n] = !pthread_mutex_lock(n ? &m1 : &m0))))                                                 \
  X(try, (held[n] || (held[n] = !pthread_mutex_trylock(n ? &m1 : &m0))))                                               \
  X(unlock, (held[n] && (held[n] = pthread_mutex_unlock(n ? &m1 : &m0))))                                              \
  X(post, sem_post(&semaphores[n]))                                                                                    \
  X(wait, sem_wait(&semaphores[n]))                                                                                    \
  X(mark, n ? hd_event("mark1") : hd_event("mark0"))                                                                   \
  X(rename, pthread_setname_np(thread[n], "renamed"))                                                                  \
  X(kill, pthread_kill(thread[n], SIGUSR1))

#define X(name, does)                                                                                                  \
  SHARED void do_##name(int n, int t, int *held)                                                                       \
  {                                                                                                                    \
    (void)n, (void)t, (void)held;                                                                                      \
    does;                                                                                                              \
  }
STEPS(X)
#undef X

static const struct {
  const char *name;
  void (*perform)(int n, int t, int *held);
} table[] = {
#define X(name, does) {#name, do_##name},
    STEPS(X)
#undef X
};

static struct {
  int steps;
  struct {
    unsigned kind;
    int number;
  } step[STEPS_MAX];
} program[THREADS];
static int sections, signals;

MACHINE void parse(char *text)
{
  char *end, *at;
  sections = 1;
  for (char *word = strtok_r(text, " ", &at); word; word = strtok_r(NULL, " ", &at)) {
    unsigned kind = 0;
    if (!strcmp(word, ";")) {
      sections++;
      continue;
    }
    char *colon = strchr(word, ':');
    *colon = '\0';
    while (kind < sizeof table / sizeof *table && strcmp(table[kind].name, word))
      kind++;
    if (sections > THREADS || program[sections - 1].steps == STEPS_MAX || kind == sizeof table / sizeof *table)
      abort();
    signals |= !strcmp(word, "kill");
    program[sections - 1].step[program[sections - 1].steps].kind = kind;
    program[sections - 1].step[program[sections - 1].steps++].number = (int)strtol(colon + 1, &end, 10);
  }
}

MACHINE void perform(int t)
{
  int held[OBJECTS] = {0};
  for (int i = 0; i < program[t].steps; i++)
    table[program[t].step[i].kind].perform(program[t].step[i].number, t, held);
  for (int n = 0; n < OBJECTS; n++)
    do_unlock(n, t, held);
}

MACHINE void *run_thread(void *section)
{
  perform((int)(long)section);
  return NULL;
}

static void handle(int signal)
{
  (void)signal;
  handled(&object[0]);
}

MACHINE void set_up(void)
{
  for (int n = 0; n < OBJECTS; n++) {
    sem_init(&semaphores[n], 0, 0);
    block[n] = malloc(8);
  }
  if (signals)
    signal(SIGUSR1, handle);
}

MACHINE void run_all(void)
{
  for (int t = 1; t < sections; t++)
    pthread_create(&thread[t], NULL, run_thread, (void *)(long)t);
  perform(0);
  for (int t = 1; t < sections; t++)
    pthread_join(thread[t], NULL);
}

int main(int argc, char **argv)
{
  if (argc != 2)
    return 2;
  parse(argv[1]);
  set_up();
  run_all();
  return 0;
}
