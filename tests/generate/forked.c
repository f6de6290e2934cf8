/* SPDX-License-Identifier: Apache-2.0
 *
 * One program that is many, of two processes: it interprets a little program given as its argument, and prints one line
 * that tells what each call returned and what state was left behind. Made by tests/generate/forked.py; by hand, for
 * example
 *
 *     forked 'pipe:1 ; send:0 ; add:0 ; recv:0 ; add:0'
 *     forked --native RUNS SEED 'pipe:1 ; send:0 ; add:0 ; recv:0 ; add:0'
 *     forked --helper STATUS FD
 *
 * The first section sets up objects before the fork; then come the calls of the parent's first thread, its second
 * thread, the child's first and its second; a second thread without calls is not made. The child ends with word 0 as
 * its status. With the set-up "mortal" the child may die at any time, and what its calls returned is not told, for it may
 * die between a call and the note of it. The set-ups and calls are in forked_list.h, the interpreter in interpreter.h.
 *
 * --helper is what it runs when it starts itself as another program: it writes a byte to FD if that is a descriptor, and
 * ends with STATUS.
 */
#define _GNU_SOURCE
#define NAME "forked"
enum { THREADS = 4, TEXT = 200 };
#include "interpreter.h"

#include <fcntl.h>
#include <mqueue.h>
#include <netinet/in.h>
#include <semaphore.h>
#include <spawn.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/un.h>

enum { WORDS = 4, LOCKS = 2, ENDS = 4 };

/* What the processes act on, in memory that they share. */
static struct {
  int word[WORDS];
  int handled[2]; /* by the handler of each process */
  pthread_mutex_t mutex[LOCKS];
  pthread_cond_t condition;
  pthread_barrier_t barrier;
  pthread_rwlock_t rwlock;
  pthread_spinlock_t spin;
  sem_t sem;
} *shared;

static bool mortal, handles_atomically, opens_own_file;
static int end[ENDS], ends;
static int file = -1, own_file = -1; /* opened before the fork, and by each process for itself */
static int listener = -1, connection[THREADS] = {-1, -1, -1, -1};
static int epoll = -1, event = -1, timer_descriptor = -1, signal_descriptor = -1;
static int semaphores = -1, messages = -1;
static mqd_t queue = (mqd_t)-1;
static sem_t *sem;
static int *area; /* shared memory of another kind */
static pthread_mutex_t own_mutex = PTHREAD_MUTEX_INITIALIZER; /* of each process */
static int own_word;
static const char *itself; /* the program's file */
static pid_t first_process, child;
static int process; /* 0: the parent, 1: the child */

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

MACHINE int made(int descriptor)
{
  if (descriptor < 0)
    give_up("set-up");
  return descriptor;
}

/* A name of the machine's, of which no other run has the same. */
MACHINE const char *private_name(void)
{
  static char name[32];
  snprintf(name, sizeof name, "/heddle-forked-%d", getpid());
  return name;
}

MACHINE struct timespec soon(clockid_t clock)
{
  struct timespec t;
  clock_gettime(clock, &t);
  t.tv_nsec += 1000000;
  if (t.tv_nsec >= 1000000000) {
    t.tv_nsec -= 1000000000;
    t.tv_sec++;
  }
  return t;
}

#include "forked_list.h"

/* ---- an execution ---- */

MACHINE unsigned together(void)
{
  return 2u + (program_length[1] > 0) + (program_length[3] > 0);
}

UNSEEN static void *thread(void *arg)
{
  make_calls(arg);
  return NULL;
}

/* The two threads of a process. */
MACHINE void run_process(int first)
{
  pthread_t id;
  bool second = program_length[first + 1] > 0;
  if (opens_own_file)
    own_file = made(open("f", O_RDWR));
  if (second && pthread_create(&id, NULL, thread, &board->self[first + 1]))
    give_up("pthread_create");
  thread(&board->self[first]);
  if (second)
    pthread_join(id, NULL);
}

MACHINE void *share(size_t size)
{
  void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED)
    give_up("set-up");
  return p;
}

MACHINE void set_up(void)
{
  shared = share(sizeof *shared);
  board = share(sizeof *board);
  for (int i = 0; i < LOCKS; i++)
    make_mutex(&shared->mutex[i], PTHREAD_MUTEX_STALLED);
  sem = &shared->sem;
  sem_init(sem, 1, 0);
  set_up_words();
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
  note(me, " %d,%d %d", load_atomic(&shared->handled[0]), load_atomic(&shared->handled[1]), load(&own_word));
  show_ends(me);
  if (file >= 0) {
    char text[16];
    tell(me, lseek(file, 0, SEEK_CUR));
    long n = pread(file, text, sizeof text, 0);
    tell_bytes(me, n, text);
  }
  for (int i = 0; area && i < 2; i++)
    note(me, " %d", load(&area[i]));
}

MACHINE void clean_up(void)
{
  for (int i = 0; i < PATHS; i++)
    unlink(path[i]);
  if (semaphores >= 0)
    semctl(semaphores, 0, IPC_RMID);
  if (messages >= 0)
    msgctl(messages, IPC_RMID, NULL);
}

MACHINE int run(void)
{
  signal(SIGPIPE, SIG_IGN);
  first_process = getpid();
  set_up();
  struct self *me = &board->self[THREADS];
  child = fork();
  if (child < 0)
    give_up("fork");
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
  clean_up();
  for (int i = 0; i <= THREADS; i++) {
    char text[TEXT];
    copy_unseen(text, board->self[i].text);
    if (i < 2 || i == THREADS || !mortal)
      printf("%s%s", text, i < THREADS ? " |" : "\n");
  }
  fflush(stdout);
  return 0;
}

UNSEEN int main(int argc, char **argv)
{
  itself = argv[0];
  if (argc == 4 && !strcmp(argv[1], "--helper")) {
    if (write(atoi(argv[3]), "z", 1) < 0 && errno != EBADF && errno != EAGAIN)
      return 99;
    return atoi(argv[2]);
  }
  return interpret(argc, argv);
}
