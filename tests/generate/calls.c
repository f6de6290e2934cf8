/* SPDX-License-Identifier: Apache-2.0
 *
 * One program that is many: it interprets a little program of system calls and calls of libc, given as its argument, and
 * prints one line that tells what each call returned and what state was left behind. Made by tests/generate/calls.py;
 * by hand, for example
 *
 *     calls 'files ; mkdir:1 ; rename:0,1 list:2'
 *     calls --native RUNS SEED 'files ; mkdir:1 ; rename:0,1 list:2'
 *
 * Sections are divided by ';'. The first sets up objects (SETUP), each further one is a thread; a call is a name and up
 * to two numbers (CALL); both are in calls_list.h. Everything happens in the current folder, which must be empty and is
 * left empty.
 *
 * --native is for runs without heddle: it forks RUNS times, steers each child with other noise, and prints every line
 * that was seen with its number in front. The first runs force the calls into every order there is; the others pause
 * at random between them, on one core or on two, one or the other thread first.
 *
 * The interpreter is compiled without instrumentation (MACHINE), so it adds no memory accesses to those of the calls it
 * makes; those that are about memory are marked SHARED.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <locale.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/sendfile.h>
#include <sys/shm.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

#define MACHINE __attribute__((no_sanitize_thread, noinline, section(".text.heddle_unseen"))) static
#define SHARED __attribute__((noinline)) static

enum { THREADS = 3, CALLS_MAX = 8, SLOTS = 8, TEXT = 600, ORDER_MAX = 16 };

/* A thread as it knows itself, and what its calls returned. */
struct self {
  int index;
  size_t used;
  char text[TEXT];
  struct tm *tm;
  char *said; /* by a function that returns its own memory */
  char words[16];
};

struct step {
  const struct call_entry *call;
  int a, b;
};

struct call_entry {
  const char *name;
  void (*make)(struct self *me, int a, int b);
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
static struct step program[THREADS][CALLS_MAX];
static int program_length[THREADS], program_threads;

/* What the threads act on. */
static const char *const path[] = {"f", "n", "d", "d/n", "l", "e", "m", "d/m"};
enum { PATHS = sizeof path / sizeof *path };
static int slot[SLOTS], slots, first_number, root = -1;
static bool shows_numbers, uses_files, joins_nobody, shows_signals, shows_slots, limits_numbers;
static FILE *stream;
static DIR *folder;
static char *area; /* two pages */
static uint32_t shared_word[2];
static uint32_t handled[2]; /* by the handlers of SIGUSR1 and SIGUSR2, which SIGALRM shares */
static int semaphores = -1, queue = -1, segment = -1;
static timer_t timer;
static bool has_timer;
static pthread_t main_thread, thread_id[THREADS];
static pthread_barrier_t meeting;
static sem_t parting;
static bool meets;

/* ---- what happened ---- */

__attribute__((format(printf, 2, 3))) MACHINE void note(struct self *me, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  int n = vsnprintf(me->text + me->used, TEXT - me->used, format, args);
  va_end(args);
  me->used = me->used + (size_t)n < TEXT ? me->used + (size_t)n : TEXT - 1;
}

MACHINE void tell(struct self *me, long result)
{
  if (result < 0)
    note(me, " %s", strerrorname_np(errno));
  else
    note(me, " %ld", result);
}

MACHINE void tell_done(struct self *me, long result)
{
  tell(me, result < 0 ? result : 0);
}

/* A new descriptor stays open. */
MACHINE void tell_number(struct self *me, int fd)
{
  tell(me, fd < 0 ? fd : shows_numbers ? fd - first_number : 0);
}

MACHINE void tell_bytes(struct self *me, long result, const char *bytes)
{
  if (result < 0)
    tell(me, result);
  else
    note(me, " \"%.*s\"", (int)result, bytes);
}

MACHINE void tell_text(struct self *me, const char *text)
{
  note(me, " %s", text ? text : "NULL");
}

MACHINE void tell_status(struct self *me, int result, const struct stat *s)
{
  if (result < 0)
    tell(me, result);
  else
    note(me, " %o/%ld/%ld", s->st_mode, S_ISDIR(s->st_mode) ? 0L : (long)s->st_size, (long)s->st_nlink);
}

/* A descriptor of the set-up by its place, or the number it would have there. */
MACHINE int fd(int a)
{
  return a < slots ? slot[a] : first_number + a;
}

MACHINE int new_slot(int fd)
{
  if (fd < 0 || slots == SLOTS) {
    perror("calls: set-up");
    exit(2);
  }
  return slot[slots++] = fd;
}

#include "calls_list.h"

/* ---- noise, without heddle only ---- */

enum noise { NOISE_NONE, NOISE_ORDER, NOISE_RANDOM };

static struct {
  enum noise kind;
  uint64_t random[THREADS];
  char order[ORDER_MAX + 1]; /* which thread makes the next call */
  unsigned at;               /* in the order */
  bool lost;                 /* a call blocked: the order cannot be kept */
  unsigned arrived;
  bool first_last; /* which thread is made first */
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
  for (uint64_t end = now_ns() + ns; now_ns() < end;)
    ;
}

/* Waits for its turn; one that does not come within 3 ms never will. */
MACHINE void await_turn(int thread)
{
  uint64_t end = now_ns() + 3000000;
  unsigned at;
  while (!__atomic_load_n(&noise.lost, __ATOMIC_RELAXED)) {
    at = __atomic_load_n(&noise.at, __ATOMIC_ACQUIRE);
    if (noise.order[at] == '0' + thread)
      return;
    if (now_ns() > end)
      __atomic_store_n(&noise.lost, true, __ATOMIC_RELAXED);
    sched_yield();
  }
}

MACHINE void before_call(int thread)
{
  if (noise.kind == NOISE_ORDER)
    await_turn(thread);
  if (noise.kind != NOISE_RANDOM)
    return;
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
    __atomic_add_fetch(&noise.at, 1, __ATOMIC_RELEASE);
}

MACHINE void start_together(void)
{
  if (noise.kind == NOISE_NONE)
    return;
  __atomic_add_fetch(&noise.arrived, 1, __ATOMIC_SEQ_CST);
  while (__atomic_load_n(&noise.arrived, __ATOMIC_SEQ_CST) < (unsigned)program_threads)
    sched_yield();
}

/* ---- an execution ---- */

static struct self selves[THREADS + 1];

__attribute__((no_sanitize_thread, section(".text.heddle_unseen"))) static void *thread(void *arg)
{
  struct self *me = arg;
  thread_id[me->index] = pthread_self();
  if (meets)
    pthread_barrier_wait(&meeting);
  start_together();
  for (int i = 0; i < program_length[me->index]; i++) {
    const struct step *s = &program[me->index][i];
    before_call(me->index);
    s->call->make(me, s->a, s->b);
    after_call();
  }
  if (meets)
    sem_post(&parting);
  return NULL;
}

MACHINE void show_path(struct self *me, const char *name)
{
  struct stat s;
  char text[16];
  if (lstat(name, &s))
    return;
  note(me, " %s", name);
  tell_status(me, 0, &s);
  if (S_ISREG(s.st_mode)) {
    int f = open(name, O_RDONLY);
    long n = read(f, text, 8);
    tell_bytes(me, n, text);
    close(f);
  } else if (S_ISLNK(s.st_mode)) {
    long n = readlink(name, text, sizeof text);
    tell_bytes(me, n, text);
  }
}

/* Offsets, and what is left in pipes. */
MACHINE void show_slots(struct self *me)
{
  for (int i = 0; i < slots; i++) {
    char text[16];
    struct stat s;
    if (fstat(slot[i], &s))
      note(me, " closed");
    else if (S_ISREG(s.st_mode))
      tell(me, lseek(slot[i], 0, SEEK_CUR));
    else if (S_ISFIFO(s.st_mode) && poll(&(struct pollfd){.fd = slot[i], .events = POLLIN}, 1, 0) == 1)
      tell_bytes(me, read(slot[i], text, sizeof text), text);
  }
}

MACHINE void show_state(struct self *me)
{
  if (shows_signals) {
    sigset_t set;
    sigpending(&set);
    note(me, " %u,%u pending %d,%d", load_word(&handled[0]), load_word(&handled[1]),
         sigismember(&set, SIGUSR1), sigismember(&set, SIGUSR2));
  }
  if (uses_files)
    for (int i = 0; i < PATHS; i++)
      show_path(me, path[i]);
  if (shows_slots)
    show_slots(me);
}

MACHINE void clean_up(void)
{
  if (uses_files)
    remove_files();
  if (has_timer)
    timer_delete(timer);
  if (semaphores >= 0)
    semctl(semaphores, 0, IPC_RMID);
  if (queue >= 0)
    msgctl(queue, IPC_RMID, NULL);
  if (segment >= 0)
    shmctl(segment, IPC_RMID, NULL);
}

MACHINE const struct call_entry *find(const struct call_entry *from, const struct call_entry *to,
                                      const char *name, size_t length)
{
  for (; from < to; from++)
    if (strlen(from->name) == length && !memcmp(from->name, name, length))
      return from;
  fprintf(stderr, "calls: there is no \"%.*s\"\n", (int)length, name);
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

static struct step setup_word[CALLS_MAX];
static int setup_words;

MACHINE void parse(const char *text)
{
  int section = -1;
  for (;;) {
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

MACHINE int run(void)
{
  struct self *me = &selves[THREADS];
  pthread_t id[THREADS];
  signal(SIGPIPE, SIG_IGN);
  main_thread = pthread_self();
  root = open(".", O_RDONLY | O_DIRECTORY);
  first_number = root + 1;
  for (int i = 0; i < setup_words; i++)
    setup_word[i].call->make(me, setup_word[i].a, setup_word[i].b);
  for (int i = 0; i < program_threads; i++) {
    int t = noise.first_last ? program_threads - 1 - i : i;
    selves[t].index = t;
    if (pthread_create(&id[t], NULL, thread, &selves[t]))
      abort();
  }
  if (joins_nobody)
    return 0;
  for (int i = 0; i < program_threads && meets; i++)
    sem_wait(&parting);
  for (int i = 0; i < program_threads; i++)
    pthread_join(id[i], NULL);
  if (limits_numbers)
    set_limit(1000);
  if (stream)
    fclose(stream);
  if (uses_files && fchdir(root))
    perror("calls");
  show_state(me);
  clean_up();
  for (int i = 0; i < program_threads; i++)
    printf("%s |", selves[i].text);
  printf("%s\n", me->text);
  fflush(stdout);
  return 0;
}

/* ---- many native runs ---- */

enum { LINE = 2048, LINES = 4096 };
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

MACHINE _Noreturn void be_child(int out, unsigned at, bool forced, uint64_t seed)
{
  noise.kind = forced ? NOISE_ORDER : NOISE_RANDOM;
  for (int i = 0; i < THREADS; i++)
    noise.random[i] = seed + at * UINT64_C(1000003) + (uint64_t)i * 7919;
  noise.first_last = at & 1;
  if (!forced && at & 2) {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(at / 4 % (unsigned)sysconf(_SC_NPROCESSORS_ONLN), &one);
    sched_setaffinity(0, sizeof one, &one);
  }
  dup2(out, 1);
  syscall(SYS_close_range, 3, ~0U, 0);
  exit(run());
}

/* The line of one child; how it ended, when it did not end well. */
MACHINE void run_child(unsigned at, bool forced, uint64_t seed)
{
  static char text[LINE];
  int ends[2], status = 0;
  size_t used = 0;
  if (pipe(ends))
    exit(2);
  fflush(stdout);
  pid_t child = fork();
  if (child < 0)
    exit(2);
  if (child == 0)
    be_child(ends[1], at, forced, seed);
  close(ends[1]);
  bool ended = true;
  for (;;) {
    if (poll(&(struct pollfd){.fd = ends[0], .events = POLLIN}, 1, 4000) <= 0) {
      ended = false;
      kill(child, SIGKILL);
      break;
    }
    long n = read(ends[0], text + used, LINE - 1 - used);
    if (n <= 0)
      break;
    used += (size_t)n;
  }
  close(ends[0]);
  waitpid(child, &status, 0);
  text[used] = 0;
  if (!ended)
    snprintf(text, sizeof text, "(blocked)");
  else if (WIFSIGNALED(status))
    snprintf(text, sizeof text, "(signal %d)", WTERMSIG(status));
  else if (WEXITSTATUS(status))
    snprintf(text, sizeof text, "(exit %d)", WEXITSTATUS(status));
  count_line(text);
}

/* Runs every order of the calls that are left to the threads; the number of runs so far. */
MACHINE unsigned run_orders(unsigned length, unsigned at, unsigned most, const int *left, uint64_t seed)
{
  bool any = false;
  for (int t = 0; t < program_threads && length < ORDER_MAX; t++) {
    if (!left[t])
      continue;
    int rest[THREADS];
    memcpy(rest, left, sizeof rest);
    rest[t]--;
    any = true;
    noise.order[length] = (char)('0' + t);
    at = run_orders(length + 1, at, most, rest, seed);
  }
  if (any || at >= most)
    return at;
  noise.order[length] = 0;
  run_child(at, true, seed);
  return at + 1;
}

/* Lines have any bytes but a zero: what they end with is told by their length. */
MACHINE int run_natively(unsigned runs, uint64_t seed)
{
  unsigned at = run_orders(0, 0, runs / 2 + 1, program_length, seed);
  for (; at < runs; at++)
    run_child(at, false, seed);
  for (unsigned i = 0; i < lines; i++)
    printf("%u %zu %s\n", seen[i].times, strlen(seen[i].text), seen[i].text);
  return 0;
}

__attribute__((no_sanitize_thread, section(".text.heddle_unseen"))) int main(int argc, char **argv)
{
  if (argc == 2) {
    parse(argv[1]);
    return run();
  }
  if (argc != 5 || strcmp(argv[1], "--native")) {
    fprintf(stderr, "usage: calls [--native RUNS SEED] PROGRAM\n");
    return 2;
  }
  parse(argv[4]);
  return run_natively((unsigned)strtoul(argv[2], NULL, 10), strtoull(argv[3], NULL, 10));
}
