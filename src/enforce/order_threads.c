/* SPDX-License-Identifier: Apache-2.0
 *
 * Threads of a test that runs freely; see order_threads.h. What the kernel knows of a thread is read from /proc.
 */
#include "enforce/order_threads.h"
#include "core/without_libc.h"
#include "enforce/order_keeping.h"
#include "enforce/order_real.h"
#include "heddle_schedule.h"
#include <fcntl.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static struct order_thread threads[ORDER_THREADS_MOST];
static unsigned known; /* places that were given away */
static int ours;       /* the thread that is none of the test's, 0: there is none */
static __thread struct order_thread *self __attribute__((tls_model("initial-exec")));

struct order_thread *order_thread(unsigned number)
{
  return &threads[number];
}

unsigned order_thread_count(void)
{
  unsigned n = __atomic_load_n(&known, __ATOMIC_ACQUIRE);
  return n < ORDER_THREADS_MOST ? n : ORDER_THREADS_MOST;
}

static struct order_thread *new_thread(void)
{
  unsigned n = __atomic_fetch_add(&known, 1, __ATOMIC_ACQ_REL);
  return n < ORDER_THREADS_MOST ? &threads[n] : NULL;
}

static void run_here(struct order_thread *t)
{
  self = t;
  if (t)
    __atomic_store_n(&t->tid, (int)syscall(SYS_gettid), __ATOMIC_RELEASE);
}

struct order_thread *order_self(void)
{
  if (!self)
    run_here(new_thread());
  return self;
}

void order_threads_begin(void)
{
  struct order_thread *main = order_self();
  print_text(main->name, sizeof main->name, "main");
  print_text(main->path, sizeof main->path, "main");
}

/* ---- what the kernel says ---- */

static size_t read_file(int tid, const char *file, char *out, size_t size)
{
  char path[64];
  print_text(path, sizeof path, "/proc/self/task/%d/%s", tid, file);
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  ssize_t n = fd < 0 ? 0 : syscall(SYS_read, fd, out, size - 1);
  if (fd >= 0)
    syscall(SYS_close, fd);
  out[n > 0 ? n : 0] = 0;
  return n > 0 ? (size_t)n : 0;
}

/* The state stands behind the name, which may have any characters. */
static bool sleeps(int tid)
{
  char text[512];
  size_t n = read_file(tid, "stat", text, sizeof text);
  while (n && text[n - 1] != ')')
    n--;
  return n && text[n] == ' ' && text[n + 1] == 'S';
}

/* An argument of the futex() that it is in, from 1: "202 0x… 0x80 0x2 0x0 …". False: it is in none. */
static bool futex_argument(int tid, unsigned number, uintptr_t *out)
{
  char text[256];
  if (!read_file(tid, "syscall", text, sizeof text) || atoi(text) != SYS_futex)
    return false;
  const char *at = text;
  for (unsigned word = 0; word < number && *at; at++)
    word += *at == ' ';
  *out = strtoul(at, NULL, 16);
  return true;
}

/* And for no limited time, which is the fourth argument. */
static bool waits_on_futex(int tid)
{
  uintptr_t time;
  return futex_argument(tid, 4, &time) && !time && sleeps(tid);
}

/* Who comes to an event, or is held at one, does not run until it is over. */
static bool is_at_event(int tid)
{
  for (unsigned i = 0; i < order_thread_count(); i++)
    if (__atomic_load_n(&threads[i].tid, __ATOMIC_ACQUIRE) == tid)
      return __atomic_load_n(&threads[i].held, __ATOMIC_RELAXED);
  return false;
}

/* For a mutex whose owner runs: that is over soon, and means nothing. */
static bool waits_for_a_moment(const struct order_thread *t, int tid)
{
  const pthread_mutex_t *mutex = __atomic_load_n(&t->mutex, __ATOMIC_ACQUIRE);
  uintptr_t word;
  if (!mutex || !futex_argument(tid, 1, &word) || word - (uintptr_t)mutex >= sizeof *mutex)
    return false;
  const int owner = __atomic_load_n(&mutex->__data.__owner, __ATOMIC_ACQUIRE);
  const bool goes_on = owner != (int)syscall(SYS_gettid) && !is_at_event(owner) && !sleeps(owner);
  return !owner || goes_on;
}

bool order_thread_may_block(const struct order_thread *t)
{
  return __atomic_load_n(&t->waits_in, __ATOMIC_ACQUIRE) && !__atomic_load_n(&t->ended, __ATOMIC_ACQUIRE);
}

bool order_thread_is_blocked(const struct order_thread *t)
{
  const char *call = __atomic_load_n(&t->waits_in, __ATOMIC_ACQUIRE);
  const int tid = __atomic_load_n(&t->tid, __ATOMIC_ACQUIRE);
  return call && order_thread_may_block(t) && sleeps(tid) && !waits_for_a_moment(t, tid) &&
         __atomic_load_n(&t->waits_in, __ATOMIC_ACQUIRE) == call;
}

/* A thread that sleeps for a time, or waits for the outside, can go on. */
static bool stands(int tid)
{
  for (unsigned i = 0; i < order_thread_count(); i++) {
    const struct order_thread *t = &threads[i];
    if (__atomic_load_n(&t->tid, __ATOMIC_ACQUIRE) != tid || __atomic_load_n(&t->ended, __ATOMIC_ACQUIRE))
      continue;
    if (__atomic_load_n(&t->held, __ATOMIC_RELAXED))
      return sleeps(tid); /* one that was woken goes on, once there is a processor for it */
    if (__atomic_load_n(&t->waits_in, __ATOMIC_ACQUIRE))
      return !__atomic_load_n(&t->timed, __ATOMIC_RELAXED) && waits_on_futex(tid);
    return false;
  }
  return waits_on_futex(tid);
}

/* As the kernel lists them. */
struct entry {
  uint64_t number;
  int64_t next;
  unsigned short length;
  unsigned char type;
  char name[];
};

/* Of a part of the list. */
static bool all_stand(const char *list, long bytes)
{
  const int me = (int)syscall(SYS_gettid);
  for (long at = 0; at < bytes;) {
    const struct entry *entry = (const struct entry *)(list + at);
    const int tid = entry->name[0] == '.' ? 0 : atoi(entry->name);
    if (tid && tid != me && tid != __atomic_load_n(&ours, __ATOMIC_ACQUIRE) && !stands(tid))
      return false;
    at += entry->length;
  }
  return true;
}

void order_thread_is_ours(void)
{
  __atomic_store_n(&ours, (int)syscall(SYS_gettid), __ATOMIC_RELEASE);
}

bool order_all_stand(void)
{
  _Alignas(struct entry) char list[4096];
  int fd = open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  long bytes = -1;
  bool all = fd >= 0;
  while (all && (bytes = syscall(SYS_getdents64, fd, list, sizeof list)) > 0)
    all = all_stand(list, bytes);
  if (fd >= 0)
    syscall(SYS_close, fd);
  return all && bytes == 0;
}

/* ---- names ---- */

__attribute__((visibility("default"))) void hd__name_thread(const char *name)
{
  if (order_how() && order_self())
    print_text(self->name, sizeof self->name, "%s", name);
}

__attribute__((visibility("default"))) void hd__name_next(const char *name)
{
  if (order_how() && order_self())
    print_text(self->next, sizeof self->next, "%s", name);
}

/* ---- from start to end ---- */

/* Also if it is cancelled, or calls pthread_exit(). */
static void end_thread(void *arg)
{
  struct order_thread *t = arg;
  __atomic_store_n(&t->waits_in, NULL, __ATOMIC_RELEASE);
  order_arrive(ORDERING_END, NULL);
  __atomic_store_n(&t->ended, true, __ATOMIC_RELEASE);
  order_look_again();
}

static void *run_thread(void *arg)
{
  struct order_thread *t = arg;
  run_here(t);
  pthread_cleanup_push(end_thread, t);
  order_arrive(ORDERING_START, NULL);
  if (t->body)
    t->result = t->body(t->arg);
  else
    t->standard_result = t->standard_body(t->arg);
  pthread_cleanup_pop(1);
  return t->result;
}

static int run_standard_thread(void *arg)
{
  run_thread(arg);
  return ((struct order_thread *)arg)->standard_result;
}

/* The thread that is created next; NULL: there is nothing to keep. */
static struct order_thread *next_thread(void)
{
  struct order_thread *t = order_how() && order_self() ? new_thread() : NULL;
  if (!t)
    return NULL;
  copy_bytes(t->name, self->next, sizeof t->name);
  ordering_child_name(self->path, ++self->children, t->path);
  self->next[0] = 0;
  return t;
}

__attribute__((visibility("default"))) int pthread_create(pthread_t *id, const pthread_attr_t *attr,
                                                          void *(*body)(void *), void *arg)
{
  struct order_thread *t = next_thread();
  if (!t)
    return REAL(pthread_create)(id, attr, body, arg);
  t->body = body;
  t->arg = arg;
  int error = REAL(pthread_create)(id, attr, run_thread, t);
  if (error)
    __atomic_store_n(&t->ended, true, __ATOMIC_RELEASE);
  return error;
}

/* The C library's own does not call the function above. */
__attribute__((visibility("default"))) int thrd_create(thrd_t *id, thrd_start_t body, void *arg)
{
  struct order_thread *t = next_thread();
  if (!t)
    return REAL(thrd_create)(id, body, arg);
  t->standard_body = body;
  t->arg = arg;
  int result = REAL(thrd_create)(id, run_standard_thread, t);
  if (result != thrd_success)
    __atomic_store_n(&t->ended, true, __ATOMIC_RELEASE);
  return result;
}
