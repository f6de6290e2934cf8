/* SPDX-License-Identifier: Apache-2.0
 *
 * What calls.c and forked.c are both made of: a little program of calls given as text, what each call returned, noise and
 * many native runs.
 *
 * A text has sections divided by ';'. The first sets up objects (SETUP), each further one is a thread; a call is a name
 * and up to two numbers (CALL). Who includes this defines NAME, THREADS and TEXT before, and after it run(), which
 * performs the program once and prints one line, and together(), the number of threads that begin at once.
 *
 * --native RUNS SEED PROGRAM is for runs without heddle: it forks RUNS times, steers each with other noise, and prints
 * every line that was seen with its number and its length in front, for a line has any bytes but a zero. Half of the runs
 * force the calls into an order, every one that there is or as many drawn at random; the others pause at random between
 * calls. Some run on one core, some begin together.
 *
 * The interpreter is compiled without instrumentation (MACHINE), so it adds no memory accesses to those of the calls it
 * makes; those that are about memory are marked SHARED. Before each native call is a fence, so that stores are seen in
 * the order of the calls.
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define UNSEEN __attribute__((no_sanitize_thread, section(".text.heddle_unseen")))
#define MACHINE UNSEEN __attribute__((noinline)) static
#define SHARED __attribute__((noinline)) static

enum { CALLS_MAX = 8, ORDER_MAX = THREADS * CALLS_MAX };

/* A thread as it knows itself, and what its calls returned. */
struct self {
  int index;
  size_t used;
  char text[TEXT];
};

struct call_entry {
  const char *name;
  void (*make)(struct self *me, int a, int b);
};

struct step {
  const struct call_entry *call;
  int a, b;
};

/* Calls and set-ups put themselves into lists, each a section of its own. */
#define LISTED_IN(list, name)                                                                                \
  MACHINE void list##_##name(struct self *me, int a, int b);                                                 \
  static const struct call_entry list##_entry_##name                                                         \
      __attribute__((used, section(#list))) = {#name, list##_##name};                                        \
  MACHINE void list##_##name(struct self *me __attribute__((unused)), int a __attribute__((unused)),         \
                             int b __attribute__((unused)))
#define CALL(name) LISTED_IN(calls, name)
#define SETUP(name) LISTED_IN(setups, name)
extern const struct call_entry __start_calls[], __stop_calls[], __start_setups[], __stop_setups[];

/* The program; written before the first thread exists. */
static struct step program[THREADS][CALLS_MAX], setup_word[CALLS_MAX];
static int program_length[THREADS], program_threads, setup_words;

/* What all threads of the program use, whichever process they are of. The last one of self is whoever sets up and tells
 * what is left. */
struct board {
  struct self self[THREADS + 1];
  unsigned at; /* in the order */
  bool lost;   /* a call blocked: the order cannot be kept */
  unsigned arrived;
};
static struct board *board;

MACHINE int run(void);
MACHINE unsigned together(void);

MACHINE _Noreturn void give_up(const char *what)
{
  fprintf(stderr, "%s: %s: %s\n", NAME, what, strerror(errno));
  exit(2);
}

/* ---- what happened ---- */

/* Where heddle does not see it, other than what libc writes or reads. */
MACHINE void copy_unseen(volatile char *to, const volatile char *from)
{
  while ((*to++ = *from++))
    ;
}

__attribute__((format(printf, 2, 3))) MACHINE void note(struct self *me, const char *format, ...)
{
  char text[TEXT];
  va_list args;
  va_start(args, format);
  int n = vsnprintf(text, TEXT - me->used, format, args);
  va_end(args);
  copy_unseen(me->text + me->used, text);
  me->used = me->used + (size_t)n < TEXT ? me->used + (size_t)n : TEXT - 1;
}

MACHINE void tell(struct self *me, long result)
{
  if (result < 0)
    note(me, " %s", strerrorname_np(errno));
  else
    note(me, " %ld", result);
}

/* Of functions that return an error. */
MACHINE __attribute__((unused)) void tell_error(struct self *me, int error)
{
  note(me, " %s", error ? strerrorname_np(error) : "0");
}

MACHINE void tell_bytes(struct self *me, long result, const char *bytes)
{
  if (result < 0)
    tell(me, result);
  else
    note(me, " \"%.*s\"", (int)result, bytes);
}

/* ---- noise, without heddle only ---- */

enum noise { NOISE_NONE, NOISE_ORDER, NOISE_RANDOM };

static struct {
  enum noise kind;
  uint64_t random[THREADS];
  char order[ORDER_MAX + 1]; /* which thread makes the next call */
  bool together;
  bool backwards; /* threads are made in this order */
} noise;

MACHINE uint64_t draw(uint64_t *state)
{
  *state += UINT64_C(0x9e3779b97f4a7c15);
  uint64_t z = *state;
  z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
  return z ^ z >> 31;
}

MACHINE uint64_t now_ns(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

MACHINE void pause_for(uint64_t ns)
{
  for (uint64_t until = now_ns() + ns; now_ns() < until;)
    ;
}

/* Waits for its turn; one that does not come within 3 ms never will. */
MACHINE void await_turn(int thread)
{
  uint64_t until = now_ns() + 3000000;
  while (!__atomic_load_n(&board->lost, __ATOMIC_RELAXED)) {
    if (noise.order[__atomic_load_n(&board->at, __ATOMIC_ACQUIRE)] == '0' + thread)
      return;
    if (now_ns() > until)
      __atomic_store_n(&board->lost, true, __ATOMIC_RELAXED);
    sched_yield();
  }
}

MACHINE void before_call(int thread)
{
  if (noise.kind == NOISE_NONE)
    return;
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  if (noise.kind == NOISE_ORDER) {
    await_turn(thread);
    return;
  }
  uint64_t r = draw(&noise.random[thread]);
  switch (r % 8) {
  case 0:
  case 1:
    break;
  case 2:
    sched_yield();
    break;
  case 3:
    usleep((useconds_t)(r >> 32) % 60);
    break;
  default:
    pause_for((r >> 32) % (r % 8 < 6 ? 3000 : 30000));
  }
}

MACHINE void after_call(void)
{
  if (noise.kind == NOISE_ORDER)
    __atomic_add_fetch(&board->at, 1, __ATOMIC_RELEASE);
}

/* Threads of a process that is dead already do not come. */
MACHINE void start_together(void)
{
  if (noise.kind == NOISE_NONE || !noise.together)
    return;
  uint64_t until = now_ns() + 3000000;
  __atomic_add_fetch(&board->arrived, 1, __ATOMIC_SEQ_CST);
  while (__atomic_load_n(&board->arrived, __ATOMIC_SEQ_CST) < together() && now_ns() < until)
    sched_yield();
}

/* ---- the program ---- */

MACHINE void set_up_words(void)
{
  for (int i = 0; i <= THREADS; i++)
    board->self[i].index = i;
  for (int i = 0; i < setup_words; i++)
    setup_word[i].call->make(&board->self[THREADS], setup_word[i].a, setup_word[i].b);
}

MACHINE void make_calls(struct self *me)
{
  start_together();
  for (int i = 0; i < program_length[me->index]; i++) {
    const struct step *s = &program[me->index][i];
    before_call(me->index);
    s->call->make(me, s->a, s->b);
    after_call();
  }
}

MACHINE const struct call_entry *find(const struct call_entry *from, const struct call_entry *to,
                                      const char *name, size_t length)
{
  for (; from < to; from++)
    if (strlen(from->name) == length && !memcmp(from->name, name, length))
      return from;
  fprintf(stderr, "%s: there is no \"%.*s\"\n", NAME, (int)length, name);
  exit(2);
}

/* "name:A,B" */
MACHINE struct step parse_word(const char *word, size_t length, const struct call_entry *from,
                               const struct call_entry *to)
{
  struct step s = {0};
  const char *colon = memchr(word, ':', length);
  s.call = find(from, to, word, colon ? (size_t)(colon - word) : length);
  if (colon)
    sscanf(colon + 1, "%d,%d", &s.a, &s.b);
  return s;
}

MACHINE void parse(const char *text)
{
  for (int section = -1;;) {
    text += strspn(text, " ");
    size_t length = strcspn(text, " ;");
    if (*text == ';') {
      if (++section >= THREADS)
        exit(2);
      program_threads = section + 1;
      text++;
    } else if (!length)
      return;
    else if (section < 0 && setup_words < CALLS_MAX)
      setup_word[setup_words++] = parse_word(text, length, __start_setups, __stop_setups);
    else if (section >= 0 && program_length[section] < CALLS_MAX)
      program[section][program_length[section]++] = parse_word(text, length, __start_calls, __stop_calls);
    else
      exit(2);
    text += length;
  }
}

/* ---- many native runs ---- */

enum { LINE = 2048, LINES = 4096, PATIENCE_MS = 2000 };
static struct {
  char *text;
  unsigned times;
} seen[LINES];
static unsigned lines;

MACHINE void count_line(const char *text)
{
  for (unsigned i = 0; i < lines; i++)
    if (!strcmp(seen[i].text, text)) {
      seen[i].times++;
      return;
    }
  if (lines < LINES) {
    seen[lines].text = strdup(text);
    seen[lines++].times = 1;
  }
}

MACHINE _Noreturn void be_run(int out, unsigned at, uint64_t seed)
{
  uint64_t random = seed * UINT64_C(1000003) + at;
  setpgid(0, 0);
  noise.together = at % 3;
  noise.backwards = at & 1;
  for (int i = 0; i < THREADS; i++)
    noise.random[i] = draw(&random);
  if (at & 4) {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(at / 8 % (unsigned)sysconf(_SC_NPROCESSORS_ONLN), &one);
    sched_setaffinity(0, sizeof one, &one);
  }
  dup2(out, 1);
  syscall(SYS_close_range, 3, ~0U, 0);
  exit(run());
}

/* What a run prints until its last process has ended; false if it does not end. */
MACHINE bool listen_to(int from, char *text)
{
  size_t used = 0;
  long n;
  do {
    text[used] = 0;
    if (poll(&(struct pollfd){.fd = from, .events = POLLIN}, 1, PATIENCE_MS) <= 0)
      return false;
    n = read(from, text + used, LINE - 1 - used);
    used += n > 0 ? (size_t)n : 0;
  } while (n > 0);
  return true;
}

/* The line of one run; how it ended, when it did not end well. */
MACHINE bool run_once(unsigned at, uint64_t seed)
{
  static char text[LINE];
  int two[2], status = 0;
  if (pipe(two))
    give_up("pipe");
  fflush(stdout);
  pid_t it = fork();
  if (it < 0)
    give_up("fork");
  if (it == 0)
    be_run(two[1], at, seed);
  close(two[1]);
  bool ended = listen_to(two[0], text);
  if (!ended)
    kill(-it, SIGKILL);
  close(two[0]);
  waitpid(it, &status, 0);
  if (!ended)
    snprintf(text, sizeof text, "(blocked)");
  else if (WIFSIGNALED(status))
    snprintf(text, sizeof text, "(signal %d)", WTERMSIG(status));
  else if (WEXITSTATUS(status))
    snprintf(text, sizeof text, "(exit %d)", WEXITSTATUS(status));
  count_line(text);
  return ended;
}

/* Runs so far; two that block are enough. */
static struct {
  unsigned at, most, blocked;
  uint64_t seed;
} native;

MACHINE bool run_next(enum noise kind)
{
  noise.kind = kind;
  if (native.at == native.most || native.blocked > 1)
    return false;
  native.blocked += !run_once(native.at, native.seed);
  native.at++;
  return true;
}

/* How many orders there are of the calls, but no more than a bound. */
MACHINE unsigned count_orders(unsigned bound)
{
  unsigned orders = 1;
  for (int t = 0, all = 0; t < THREADS; t++)
    for (int i = 1; i <= program_length[t]; i++) /* all over i, step by step a whole number */
      if ((orders = orders * (unsigned)++all / (unsigned)i) > bound)
        return bound;
  return orders;
}

/* Every order of the calls that are left to the threads. */
MACHINE void run_orders(unsigned length, const int *left)
{
  bool any = false;
  for (int t = 0; t < program_threads; t++) {
    if (!left[t])
      continue;
    int rest[THREADS];
    memcpy(rest, left, sizeof rest);
    rest[t]--;
    any = true;
    noise.order[length] = (char)('0' + t);
    run_orders(length + 1, rest);
  }
  if (any)
    return;
  noise.order[length] = 0;
  run_next(NOISE_ORDER);
}

MACHINE void draw_order(uint64_t *random)
{
  int left[THREADS], all = 0;
  for (int t = 0; t < THREADS; t++)
    all += left[t] = program_length[t];
  for (int i = 0; i < all;) {
    int t = (int)(draw(random) % THREADS);
    if (!left[t])
      continue;
    left[t]--;
    noise.order[i++] = (char)('0' + t);
  }
}

MACHINE int run_natively(unsigned runs, uint64_t seed)
{
  uint64_t random = seed;
  unshare(CLONE_NEWIPC); /* where that is allowed, what blocked runs leave behind goes away with us */
  native.most = runs;
  native.seed = seed;
  if (count_orders(runs / 2 + 1) <= runs / 2)
    run_orders(0, program_length);
  else
    for (unsigned i = 0; i < runs / 2; i++) {
      draw_order(&random);
      run_next(NOISE_ORDER);
    }
  while (run_next(NOISE_RANDOM))
    ;
  for (unsigned i = 0; i < lines; i++)
    printf("%u %zu %s\n", seen[i].times, strlen(seen[i].text), seen[i].text);
  return 0;
}

/* main() of the program. */
MACHINE int interpret(int argc, char **argv)
{
  if (argc == 2) {
    parse(argv[1]);
    return run();
  }
  if (argc != 5 || strcmp(argv[1], "--native")) {
    fprintf(stderr, "usage: %s [--native RUNS SEED] PROGRAM\n", NAME);
    return 2;
  }
  parse(argv[4]);
  return run_natively((unsigned)strtoul(argv[2], NULL, 10), strtoull(argv[3], NULL, 10));
}
