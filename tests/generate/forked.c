/* SPDX-License-Identifier: Apache-2.0
 *
 * One program that is many, of two processes: it interprets a little program given as its argument, and prints one line
 * that tells what each call returned and what state was left behind. Made by tests/generate/forked.py; by hand, for
 * example
 *
 *     forked 'pipe:1 ; send:0 ; add:0 ; recv:0 ; add:0'
 *     forked --native RUNS SEED 'pipe:1 ; send:0 ; add:0 ; recv:0 ; add:0'
 *
 * Sections are divided by ';'. The first sets up objects (SETUP) before the fork; then come the calls (CALL) of the
 * parent's first thread, its second thread, the child's first and its second; a second thread without calls is not
 * made. The child ends with word 0 as its status. With the set-up "mortal" the child may die at any time, and what its
 * calls returned is not told, for it may die between a call and the note of it.
 *
 * --native is for runs without heddle, as in calls.c: half of them force the calls into an order drawn at random, the
 * others pause at random between them. The interpreter is compiled without instrumentation (MACHINE); what is about
 * memory is marked SHARED. Before each native call is a fence, so that stores are seen in the order of the calls.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
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
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MACHINE __attribute__((no_sanitize_thread, noinline, section(".text.heddle_unseen"))) static
#define SHARED __attribute__((noinline)) static

enum { THREADS = 4, CALLS_MAX = 8, WORDS = 4, LOCKS = 2, ENDS = 4, TEXT = 200, ORDER_MAX = THREADS * CALLS_MAX };

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

/* What the processes act on, in memory that they share. */
static struct {
  int word[WORDS];
  int handled[2]; /* by the handler of each process */
  pthread_mutex_t mutex[LOCKS];
  sem_t sem;
} *shared;

/* What the interpreter keeps in such memory. */
static struct {
  struct self self[THREADS + 1];
  unsigned at; /* in the order */
  bool lost;   /* a call blocked: the order cannot be kept */
  unsigned arrived;
} *board;

/* The program; written before the first thread exists. */
static struct step program[THREADS][CALLS_MAX], setup_word[CALLS_MAX];
static int program_length[THREADS], setup_words;
static bool mortal, handles_atomically;
static int end[ENDS], ends, file = -1;
static pid_t first_process, child;
static int process; /* 0: the parent, 1: the child */

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
MACHINE void tell_error(struct self *me, int error)
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

MACHINE void tell_ended(struct self *me, pid_t who, int status)
{
  if (who <= 0)
    tell(me, who);
  else if (WIFSIGNALED(status))
    note(me, " signal%d", WTERMSIG(status));
  else
    note(me, " exit%d", WEXITSTATUS(status));
}

MACHINE char letter(const struct self *me)
{
  return (char)('a' + me->index);
}

/* ---- memory ---- */

SHARED int load(const int *p) { return *p; }
SHARED void store(int *p, int value) { *p = value; }
SHARED void increment(int *p) { (*p)++; }
SHARED int load_atomic(const int *p) { return __atomic_load_n(p, __ATOMIC_SEQ_CST); }
SHARED void store_atomic(int *p, int value) { __atomic_store_n(p, value, __ATOMIC_SEQ_CST); }
SHARED int add_atomic(int *p) { return __atomic_fetch_add(p, 1, __ATOMIC_SEQ_CST); }
SHARED bool exchange_atomic(int *p, int from, int to)
{
  return __atomic_compare_exchange_n(p, &from, to, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

CALL(get) { tell(me, load(&shared->word[a])); }
CALL(put) { store(&shared->word[a], b); }
CALL(inc) { increment(&shared->word[a]); }
CALL(aget) { tell(me, load_atomic(&shared->word[a])); }
CALL(aput) { store_atomic(&shared->word[a], b); }
CALL(add) { tell(me, add_atomic(&shared->word[a])); }
CALL(cas) { tell(me, exchange_atomic(&shared->word[a], 0, b)); }

/* ---- locks and semaphores ---- */

CALL(lock) { tell_error(me, pthread_mutex_lock(&shared->mutex[a])); }
CALL(unlock) { tell_error(me, pthread_mutex_unlock(&shared->mutex[a])); }
CALL(try)
{
  int error = pthread_mutex_trylock(&shared->mutex[a]);
  tell_error(me, error);
  if (!error)
    pthread_mutex_unlock(&shared->mutex[a]);
}
CALL(locked) /* a word is changed under a lock */
{
  pthread_mutex_lock(&shared->mutex[a]);
  tell(me, load(&shared->word[b]));
  increment(&shared->word[b]);
  pthread_mutex_unlock(&shared->mutex[a]);
}
CALL(post) { tell(me, sem_post(&shared->sem)); }
CALL(down) { tell(me, sem_wait(&shared->sem)); }
CALL(trydown) { tell(me, sem_trywait(&shared->sem)); }
CALL(value)
{
  int value = 0;
  sem_getvalue(&shared->sem, &value);
  tell(me, value);
}
SETUP(sem)
{
  sem_destroy(&shared->sem);
  sem_init(&shared->sem, 1, (unsigned)a);
}

/* ---- pipes, and pairs of sockets used as such: end 0 is read, end 1 written ---- */

MACHINE void new_ends(const int *two, int failed)
{
  if (failed || ends + 2 > ENDS) {
    perror("forked: set-up");
    exit(2);
  }
  end[ends++] = two[0];
  end[ends++] = two[1];
}

SETUP(pipe) /* 1: nobody waits for it */
{
  int two[2];
  int failed = pipe2(two, a ? O_NONBLOCK : 0);
  new_ends(two, failed);
}
SETUP(sockets)
{
  int two[2];
  int failed = socketpair(AF_UNIX, SOCK_STREAM | (a ? SOCK_NONBLOCK : 0), 0, two);
  new_ends(two, failed);
}
CALL(send)
{
  char byte = letter(me);
  tell(me, write(end[2 * a + 1], &byte, 1));
}
CALL(recv)
{
  char byte;
  long n = read(end[2 * a], &byte, 1);
  tell_bytes(me, n, &byte);
}
CALL(poll)
{
  struct pollfd p = {.fd = end[a], .events = a & 1 ? POLLOUT : POLLIN};
  int n = poll(&p, 1, 0);
  tell(me, n < 0 ? n : p.revents);
}
CALL(available)
{
  int n = 0;
  int result = ioctl(end[2 * a], FIONREAD, &n);
  tell(me, result < 0 ? result : n);
}
CALL(close) { tell(me, close(end[a])); }

/* ---- a file, opened before the fork ---- */

SETUP(file) /* "0123"; 1: written at its end */
{
  file = open("f", O_RDWR | O_CREAT | O_EXCL | (a ? O_APPEND : 0), 0600);
  if (file < 0 || pwrite(file, "0123", 4, 0) != 4) {
    perror("forked: set-up");
    exit(2);
  }
}
CALL(read)
{
  char text[4];
  long n = read(file, text, (size_t)a);
  tell_bytes(me, n, text);
}
CALL(write)
{
  char byte = letter(me);
  tell(me, write(file, &byte, 1));
}
CALL(pread)
{
  char text[4];
  long n = pread(file, text, (size_t)b, a);
  tell_bytes(me, n, text);
}
CALL(pwrite)
{
  char byte = letter(me);
  tell(me, pwrite(file, &byte, 1, a));
}
CALL(seek) { tell(me, lseek(file, a, SEEK_SET)); }
CALL(where) { tell(me, lseek(file, 0, SEEK_CUR)); }
CALL(truncate) { tell(me, ftruncate(file, a)); }
CALL(size)
{
  struct stat s;
  int result = fstat(file, &s);
  tell(me, result < 0 ? result : s.st_size);
}
MACHINE struct flock range_of(int kind)
{
  static const short type[] = {F_UNLCK, F_RDLCK, F_WRLCK};
  return (struct flock){.l_type = type[kind], .l_whence = SEEK_SET, .l_start = 0, .l_len = 1};
}
CALL(range)
{
  struct flock l = range_of(a);
  tell(me, fcntl(file, F_SETLK, &l));
}
CALL(rangewait)
{
  struct flock l = range_of(a);
  tell(me, fcntl(file, F_SETLKW, &l));
}
CALL(rangeget)
{
  struct flock l = range_of(a);
  int result = fcntl(file, F_GETLK, &l);
  if (result < 0)
    tell(me, result);
  else
    note(me, " %d/%d", l.l_type, l.l_type == F_UNLCK ? 0 : l.l_pid == first_process ? 1 : 2);
}

/* ---- processes ---- */

CALL(wait)
{
  int status = 0;
  pid_t who = wait(&status);
  tell_ended(me, who, status);
}
CALL(waitpid) /* of the parent: for the child */
{
  int status = 0;
  pid_t who = waitpid(child, &status, a ? WNOHANG : 0);
  tell_ended(me, who, status);
}
CALL(look) /* without taking it away */
{
  siginfo_t info = {0};
  int result = waitid(P_ALL, 0, &info, WEXITED | WNOWAIT | (a ? WNOHANG : 0));
  if (result < 0)
    tell(me, result);
  else
    note(me, " %d/%d", info.si_pid ? info.si_code : 0, info.si_pid ? info.si_status : 0);
}
CALL(spawn)
{
  pid_t made = fork();
  if (made == 0) {
    add_atomic(&shared->word[1]);
    _exit(a);
  }
  tell(me, made < 0 ? made : 0);
}
CALL(parent) { tell(me, getppid() == first_process); }
CALL(exit) { _exit(a); }
SETUP(mortal) { mortal = true; }

/* ---- signals ---- */

SHARED void handle(int number __attribute__((unused)))
{
  int saved = errno, mine = getpid() != first_process; /* the child may not know yet who it is */
  if (handles_atomically)
    add_atomic(&shared->handled[mine]);
  else
    store(&shared->word[2], 7 + mine);
  errno = saved;
}
SETUP(signals) /* a: the handler counts; b: calls that wait go on */
{
  struct sigaction action = {.sa_handler = handle, .sa_flags = b ? SA_RESTART : 0};
  handles_atomically = a;
  sigaction(SIGUSR1, &action, NULL);
}
MACHINE pid_t other(void)
{
  return process ? first_process : child;
}
CALL(kill) { tell(me, kill(other(), SIGUSR1)); }
CALL(killself) { tell(me, kill(getpid(), SIGUSR1)); }
CALL(probe) { tell(me, kill(other(), 0)); }
CALL(terminate) { tell(me, kill(child, a ? SIGKILL : SIGTERM)); }
CALL(handled) { tell(me, load_atomic(&shared->handled[a])); }
CALL(block)
{
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  tell_error(me, pthread_sigmask(a ? SIG_BLOCK : SIG_UNBLOCK, &set, NULL));
}
CALL(pending)
{
  sigset_t set;
  sigpending(&set);
  tell(me, sigismember(&set, SIGUSR1));
}

/* ---- noise, without heddle only ---- */

enum noise { NOISE_NONE, NOISE_ORDER, NOISE_RANDOM };

static struct {
  enum noise kind;
  uint64_t random[THREADS];
  char order[ORDER_MAX + 1]; /* which thread makes the next call */
  bool together;
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

/* The threads of a process that is dead already do not come. */
MACHINE void start_together(void)
{
  if (noise.kind == NOISE_NONE || !noise.together)
    return;
  unsigned all = 2u + (program_length[1] > 0) + (program_length[3] > 0);
  uint64_t until = now_ns() + 3000000;
  __atomic_add_fetch(&board->arrived, 1, __ATOMIC_SEQ_CST);
  while (__atomic_load_n(&board->arrived, __ATOMIC_SEQ_CST) < all && now_ns() < until)
    sched_yield();
}

/* ---- an execution ---- */

__attribute__((no_sanitize_thread, section(".text.heddle_unseen"))) static void *thread(void *arg)
{
  struct self *me = arg;
  start_together();
  for (int i = 0; i < program_length[me->index]; i++) {
    const struct step *s = &program[me->index][i];
    before_call(me->index);
    s->call->make(me, s->a, s->b);
    after_call();
  }
  return NULL;
}

/* The two threads of a process. */
MACHINE void run_process(int first)
{
  pthread_t id;
  bool second = program_length[first + 1] > 0;
  if (second && pthread_create(&id, NULL, thread, &board->self[first + 1]))
    abort();
  thread(&board->self[first]);
  if (second)
    pthread_join(id, NULL);
}

MACHINE void *share(size_t size)
{
  void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED) {
    perror("forked: set-up");
    exit(2);
  }
  return p;
}

MACHINE void set_up(void)
{
  shared = share(sizeof *shared);
  board = share(sizeof *board);
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
  for (int i = 0; i < LOCKS; i++)
    pthread_mutex_init(&shared->mutex[i], &attributes);
  sem_init(&shared->sem, 1, 0);
  for (int i = 0; i <= THREADS; i++)
    board->self[i].index = i;
  for (int i = 0; i < setup_words; i++)
    setup_word[i].call->make(&board->self[THREADS], setup_word[i].a, setup_word[i].b);
}

/* Statuses of children that nobody has waited for; in the order of numbers, for they end in any. */
MACHINE void wait_for_all(struct self *me)
{
  int times[256] = {0}, status;
  for (;;) {
    pid_t who = wait(&status);
    if (who < 0 && errno == EINTR)
      continue;
    if (who < 0)
      break;
    times[WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status)]++;
  }
  for (int i = 0; i < 256; i++)
    if (times[i])
      note(me, " %dx%d", times[i], i);
}

/* What is left in pipes that the parent still has. */
MACHINE void show_ends(struct self *me)
{
  for (int i = 0; i < ends; i++) {
    char text[16];
    struct pollfd p = {.fd = end[i], .events = i & 1 ? 0 : POLLIN};
    int n = poll(&p, 1, 0);
    if (p.revents & POLLNVAL)
      note(me, " closed");
    else if (!(i & 1) && n == 1) {
      long bytes = read(end[i], text, sizeof text);
      tell_bytes(me, bytes, text);
    }
  }
}

MACHINE void show_state(struct self *me)
{
  for (int i = 0; i < WORDS; i++)
    note(me, " %d", load(&shared->word[i]));
  note(me, " %d,%d", load_atomic(&shared->handled[0]), load_atomic(&shared->handled[1]));
  show_ends(me);
  if (file >= 0) {
    char text[16];
    tell(me, lseek(file, 0, SEEK_CUR));
    long n = pread(file, text, sizeof text, 0);
    tell_bytes(me, n, text);
    unlink("f");
  }
}

MACHINE int run(void)
{
  signal(SIGPIPE, SIG_IGN);
  first_process = getpid();
  set_up();
  struct self *me = &board->self[THREADS];
  child = fork();
  if (child < 0)
    abort();
  process = child == 0;
  if (process && noise.kind != NOISE_NONE)
    prctl(PR_SET_PDEATHSIG, SIGKILL);
  run_process(2 * process);
  if (process) {
    wait_for_all(&board->self[2]);
    exit(load(&shared->word[0]));
  }
  wait_for_all(me);
  show_state(me);
  for (int i = 0; i <= THREADS; i++) {
    char text[TEXT];
    copy_unseen(text, board->self[i].text);
    if (i < 2 || i == THREADS || !mortal)
      printf("%s%s", text, i < THREADS ? " |" : "\n");
  }
  fflush(stdout);
  return 0;
}

/* ---- the program's text ---- */

MACHINE const struct call_entry *find(const struct call_entry *from, const struct call_entry *to,
                                      const char *name, size_t length)
{
  for (; from < to; from++)
    if (strlen(from->name) == length && !memcmp(from->name, name, length))
      return from;
  fprintf(stderr, "forked: there is no \"%.*s\"\n", (int)length, name);
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

MACHINE _Noreturn void be_run(int out, unsigned at, uint64_t seed)
{
  uint64_t random = seed * UINT64_C(1000003) + at;
  setpgid(0, 0);
  noise.kind = at & 1 ? NOISE_ORDER : NOISE_RANDOM;
  noise.together = at % 3;
  for (int i = 0; i < THREADS; i++)
    noise.random[i] = draw(&random);
  draw_order(&random);
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
    exit(2);
  fflush(stdout);
  pid_t it = fork();
  if (it < 0)
    exit(2);
  if (it == 0)
    be_run(two[1], at, seed);
  close(two[1]);
  bool ended = listen_to(two[0], text);
  if (!ended)
    kill(-it, SIGKILL);
  close(two[0]);
  waitpid(it, &status, 0);
  if (!ended)
    unlink("f");
  if (!ended)
    snprintf(text, sizeof text, "(blocked)");
  else if (WIFSIGNALED(status))
    snprintf(text, sizeof text, "(signal %d)", WTERMSIG(status));
  else if (WEXITSTATUS(status))
    snprintf(text, sizeof text, "(exit %d)", WEXITSTATUS(status));
  count_line(text);
  return ended;
}

/* Two that block are enough. Lines have any bytes but a zero: what they end with is told by their length. */
MACHINE int run_natively(unsigned runs, uint64_t seed)
{
  unsigned blocked = 0;
  for (unsigned at = 0; at < runs && blocked < 2; at++)
    blocked += !run_once(at, seed);
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
    fprintf(stderr, "usage: forked [--native RUNS SEED] PROGRAM\n");
    return 2;
  }
  parse(argv[4]);
  return run_natively((unsigned)strtoul(argv[2], NULL, 10), strtoull(argv[3], NULL, 10));
}
