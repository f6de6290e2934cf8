/* SPDX-License-Identifier: Apache-2.0
 *
 * One program that is many: it interprets a little program of system calls and calls of libc, given as its argument, and
 * prints one line that tells what each call returned and what state was left behind. Made by tests/generate/calls.py;
 * by hand, for example
 *
 *     calls 'files ; mkdir:1 ; rename:0,1 list:2'
 *     calls --native RUNS SEED 'files ; mkdir:1 ; rename:0,1 list:2'
 *
 * The set-ups and calls are in calls_list.h, the interpreter in interpreter.h. Everything happens in the current folder,
 * which must be empty and is left empty.
 */
#define _GNU_SOURCE
#define NAME "calls"
enum { THREADS = 3, TEXT = 600, SLOTS = 8 };
#include "interpreter.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <locale.h>
#include <semaphore.h>
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
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/xattr.h>

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

/* What functions of libc have returned to a thread. */
static struct {
  struct tm *tm;
  char *said; /* by a function that returns its own memory */
  char words[16];
} own[THREADS];

/* ---- what happened ---- */

MACHINE void tell_done(struct self *me, long result)
{
  tell(me, result < 0 ? result : 0);
}

/* A new descriptor stays open. */
MACHINE void tell_number(struct self *me, int fd)
{
  tell(me, fd < 0 ? fd : shows_numbers ? fd - first_number : 0);
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

/* ---- an execution ---- */

MACHINE unsigned together(void)
{
  return (unsigned)program_threads;
}

UNSEEN static void *thread(void *arg)
{
  struct self *me = arg;
  thread_id[me->index] = pthread_self();
  if (meets)
    pthread_barrier_wait(&meeting);
  make_calls(me);
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

MACHINE int run(void)
{
  static struct board here;
  board = &here;
  struct self *me = &board->self[THREADS];
  pthread_t id[THREADS];
  signal(SIGPIPE, SIG_IGN);
  main_thread = pthread_self();
  root = open(".", O_RDONLY | O_DIRECTORY);
  first_number = root + 1;
  set_up_words();
  for (int i = 0; i < program_threads; i++) {
    int t = noise.backwards ? program_threads - 1 - i : i;
    if (pthread_create(&id[t], NULL, thread, &board->self[t]))
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
    printf("%s |", board->self[i].text);
  printf("%s\n", me->text);
  fflush(stdout);
  return 0;
}

UNSEEN int main(int argc, char **argv)
{
  return interpret(argc, argv);
}
