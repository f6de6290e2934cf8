/* SPDX-License-Identifier: Apache-2.0
 *
 * Threads of a program that runs freely; see order_threads.h. What the kernel knows of a thread is read from /proc.
 */
#include "enforce/order_threads.h"
#include "core/without_libc.h"
#include "enforce/order_keeping.h"
#include "enforce/order_real.h"
#include "enforce/property_keeping.h"
#include "heddle_schedule.h"
#include <fcntl.h>
#include <linux/futex.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <threads.h>
#include <unistd.h>

#define STRANGERS_MOST 4

static struct order_thread threads[ORDER_THREADS_MOST];
static unsigned created; /* threads, by the program */
static unsigned known;   /* places that were given away */
static __thread struct order_thread *self __attribute__((tls_model("initial-exec")));
static __thread bool ours __attribute__((tls_model("initial-exec"))); /* it is none of the program's */
static __thread bool runs __attribute__((tls_model("initial-exec"))); /* its body */

struct order_thread *order_thread(unsigned number)
{
  return &threads[number];
}

unsigned order_thread_count(void)
{
  unsigned n = __atomic_load_n(&known, __ATOMIC_ACQUIRE);
  return n < ORDER_THREADS_MOST ? n : ORDER_THREADS_MOST;
}

/* The place of one that has ended. */
static struct order_thread *place_left(void)
{
  for (unsigned i = 1; i < ORDER_THREADS_MOST; i++) {
    bool ended = true;
    if (__atomic_compare_exchange_n(&threads[i].ended, &ended, false, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
      __atomic_store_n(&threads[i].tid, 0, __ATOMIC_RELEASE);
      threads[i].name[0] = threads[i].next[0] = 0;
      return &threads[i];
    }
  }
  return NULL;
}

static struct order_thread *new_thread(void)
{
  unsigned n = __atomic_load_n(&known, __ATOMIC_RELAXED);
  if (n < ORDER_THREADS_MOST)
    n = __atomic_fetch_add(&known, 1, __ATOMIC_ACQ_REL);
  if (n < ORDER_THREADS_MOST)
    return &threads[n];
  return order_how() ? NULL : place_left();
}

static bool watches;

void order_watch_threads(void)
{
  __atomic_store_n(&watches, true, __ATOMIC_RELEASE);
}

bool order_watches(void)
{
  return __atomic_load_n(&watches, __ATOMIC_RELAXED);
}

static void run_here(struct order_thread *t)
{
  self = t;
  if (!t)
    return;
  runs = true;
  t->id = pthread_self();
  __atomic_store_n(&t->tid, (int)syscall(SYS_gettid), __ATOMIC_RELEASE);
}

BEFORE_SANITIZERS bool order_thread_runs(void)
{
  return runs;
}

struct order_thread *order_self(void)
{
  if (!self && !ours)
    run_here(new_thread());
  return self;
}

void order_threads_begin(void)
{
  struct order_thread *main = order_self();
  print_text(main->name, sizeof main->name, "main");
  print_text(main->path, sizeof main->path, "main");
  order_watch_threads();
}

unsigned order_thread_number(const struct order_thread *t)
{
  return t ? (unsigned)(t - threads) + 1 : 0;
}

struct order_thread *order_thread_named(const char *name)
{
  for (unsigned i = 0; i < order_thread_count(); i++)
    if (!__atomic_load_n(&threads[i].ended, __ATOMIC_ACQUIRE) && !text_compare(threads[i].name, name))
      return &threads[i];
  return NULL;
}

const char *order_thread_text(const struct order_thread *t, char *out, size_t size)
{
  if (!t)
    print_text(out, size, "a thread");
  else if (t->name[0])
    print_text(out, size, "%s", t->name);
  else
    print_text(out, size, "thread %u", order_thread_number(t));
  return out;
}

void order_threads_forked(void)
{
  for (unsigned i = 0; i < order_thread_count(); i++)
    if (&threads[i] != self)
      __atomic_store_n(&threads[i].ended, true, __ATOMIC_RELEASE);
  created = 0;
  if (self)
    run_here(self);
}

static int our_tid;
static int strangers[STRANGERS_MOST]; /* threads that are none of the program's, and not ours */

void order_thread_is_ours(void)
{
  ours = true;
  __atomic_store_n(&our_tid, (int)syscall(SYS_gettid), __ATOMIC_RELEASE);
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

/* And for no limited time: the second argument is how, the fourth how long. What is shared may be left by another
 * process; who waits for the end of a thread waits in that way, too. */
static bool waits_on_futex(int tid, bool joins)
{
  uintptr_t how, time;
  return futex_argument(tid, 2, &how) && (joins || how & FUTEX_PRIVATE_FLAG) && futex_argument(tid, 4, &time) &&
         !time && sleeps(tid);
}

static bool is_join(const char *call)
{
  return !text_compare(call, "pthread_join") || !text_compare(call, "thrd_join");
}

/* Who comes to an event, or is held at one, does not run until it is over. */
static bool is_at_event(int tid)
{
  for (unsigned i = 0; i < order_thread_count(); i++)
    if (__atomic_load_n(&threads[i].tid, __ATOMIC_ACQUIRE) == tid)
      return __atomic_load_n(&threads[i].held, __ATOMIC_RELAXED) || __atomic_load_n(&threads[i].hold, __ATOMIC_RELAXED);
  return false;
}

/* The thread that has it, as glibc notes it; 0: none. */
static int owner_of(const pthread_mutex_t *mutex)
{
  const char *at = (const char *)mutex + offsetof(pthread_mutex_t, __data.__owner);
  return __atomic_load_n((const int *)at, __ATOMIC_ACQUIRE);
}

/* For a mutex whose owner runs: that is over soon, and means nothing. */
static bool waits_for_a_moment(const struct order_thread *t, int tid)
{
  const pthread_mutex_t *mutex = __atomic_load_n(&t->mutex, __ATOMIC_ACQUIRE);
  uintptr_t word;
  if (!mutex || !futex_argument(tid, 1, &word) || word - (uintptr_t)mutex >= sizeof(pthread_mutex_t))
    return false;
  const int owner = owner_of(mutex);
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

static bool is_stranger(int tid)
{
  for (unsigned i = 0; i < STRANGERS_MOST; i++)
    if (__atomic_load_n(&strangers[i], __ATOMIC_RELAXED) == tid)
      return true;
  return false;
}

/* A thread that sleeps for a time, or waits for the outside, can go on. */
static bool stands(int tid)
{
  for (unsigned i = 0; i < order_thread_count(); i++) {
    const struct order_thread *t = &threads[i];
    if (__atomic_load_n(&t->tid, __ATOMIC_ACQUIRE) != tid || __atomic_load_n(&t->ended, __ATOMIC_ACQUIRE))
      continue;
    if (__atomic_load_n(&t->hold, __ATOMIC_RELAXED))
      return true;
    if (__atomic_load_n(&t->held, __ATOMIC_RELAXED))
      return sleeps(tid); /* one that was woken goes on, once there is a processor for it */
    const char *call = __atomic_load_n(&t->waits_in, __ATOMIC_ACQUIRE);
    return call && !__atomic_load_n(&t->timed, __ATOMIC_RELAXED) && waits_on_futex(tid, is_join(call));
  }
  return tid == __atomic_load_n(&our_tid, __ATOMIC_ACQUIRE) || is_stranger(tid) || waits_on_futex(tid, false);
}

/* As the kernel lists them. */
struct entry {
  uint64_t number;
  int64_t next;
  unsigned short length;
  unsigned char type;
  char name[];
};

typedef bool task_question(int tid);

/* Of a part of the list. */
static bool all_answer(task_question *ask, const char *list, long bytes)
{
  const int me = (int)syscall(SYS_gettid);
  for (long at = 0; at < bytes;) {
    const struct entry *entry = (const struct entry *)(list + at);
    const int tid = entry->name[0] == '.' ? 0 : atoi(entry->name);
    if (tid && tid != me && !ask(tid))
      return false;
    at += entry->length;
  }
  return true;
}

/* Whether the answer is yes for every other thread of the process. */
static bool ask_others(task_question *ask)
{
  _Alignas(struct entry) char list[4096];
  int fd = open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  long bytes = -1;
  bool all = fd >= 0;
  while (all && (bytes = syscall(SYS_getdents64, fd, list, sizeof list)) > 0)
    all = all_answer(ask, list, bytes);
  if (fd >= 0)
    syscall(SYS_close, fd);
  return all && bytes == 0;
}

bool order_all_stand(void)
{
  return ask_others(stands);
}

static bool note_stranger(int tid)
{
  for (unsigned i = 0; i < STRANGERS_MOST; i++)
    if (!strangers[i]) {
      __atomic_store_n(&strangers[i], tid, __ATOMIC_RELAXED);
      return true;
    }
  return false;
}

void order_threads_note_strangers(void)
{
  for (unsigned i = 0; i < STRANGERS_MOST; i++)
    __atomic_store_n(&strangers[i], 0, __ATOMIC_RELAXED);
  if (!__atomic_load_n(&created, __ATOMIC_RELAXED))
    ask_others(note_stranger);
}

/* ---- names ---- */

__attribute__((visibility("default"))) void hd__name_thread(const char *name)
{
  if (order_watches() && order_self())
    print_text(self->name, sizeof self->name, "%s", name);
}

__attribute__((visibility("default"))) void hd__name_next(const char *name)
{
  if (order_watches() && order_self())
    print_text(self->next, sizeof self->next, "%s", name);
}

/* As properties know it; it may be another thread's. */
__attribute__((visibility("default"))) int pthread_setname_np(pthread_t id, const char *name)
{
  int error = REAL(pthread_setname_np)(id, name);
  if (!error && order_watches() && pthread_equal(id, pthread_self()) && order_self())
    print_text(self->name, sizeof self->name, "%s", name);
  return error;
}

/* ---- from start to end ---- */

/* Also if it is cancelled, or calls pthread_exit(). */
static void end_thread(void *arg)
{
  struct order_thread *t = arg;
  __atomic_store_n(&t->waits_in, NULL, __ATOMIC_RELEASE);
  order_arrive(ORDERING_END, NULL);
  property_thread_ends();
  __atomic_store_n(&t->ended, true, __ATOMIC_RELEASE);
  order_look_again();
  runs = false;
}

static void *run_thread(void *arg)
{
  struct order_thread *t = arg;
  void *result;
  run_here(t);
  pthread_cleanup_push(end_thread, t);
  order_arrive(ORDERING_START, NULL);
  property_thread_starts();
  result = t->c11_body ? (void *)(intptr_t)t->c11_body(t->arg) : t->body(t->arg);
  pthread_cleanup_pop(1);
  return result;
}

static int run_c11_thread(void *arg)
{
  return (int)(intptr_t)run_thread(arg);
}

/* A place for the thread that this one creates; NULL: it is not to be known. */
static struct order_thread *new_child(void *arg)
{
  if (property_is_inside())
    return NULL;
  __atomic_add_fetch(&created, 1, __ATOMIC_RELAXED);
  bool watched = order_watches() && order_self();
  struct order_thread *t = watched ? new_thread() : NULL;
  if (!t)
    return NULL;
  t->arg = arg;
  t->body = NULL;
  t->c11_body = NULL;
  t->children = 0;
  copy_bytes(t->name, self->next, sizeof t->name);
  ordering_child_name(self->path, ++self->children, t->path);
  self->next[0] = 0;
  return t;
}

/* The C library's own does not call the function below. */
__attribute__((visibility("default"))) int thrd_create(thrd_t *id, thrd_start_t body, void *arg)
{
  struct order_thread *t = new_child(arg);
  if (!t)
    return REAL(thrd_create)(id, body, arg);
  t->c11_body = body;
  int error = REAL(thrd_create)(id, run_c11_thread, t);
  if (error != thrd_success)
    __atomic_store_n(&t->ended, true, __ATOMIC_RELEASE);
  return error;
}

__attribute__((visibility("default"))) int pthread_create(pthread_t *id, const pthread_attr_t *attr,
                                                          void *(*body)(void *), void *arg)
{
  struct order_thread *t = new_child(arg);
  if (!t)
    return REAL(pthread_create)(id, attr, body, arg);
  t->body = body;
  int error = REAL(pthread_create)(id, attr, run_thread, t);
  if (error)
    __atomic_store_n(&t->ended, true, __ATOMIC_RELEASE);
  return error;
}
