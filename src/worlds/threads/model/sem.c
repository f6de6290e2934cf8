/* SPDX-License-Identifier: Apache-2.0
 *
 * Semaphores, unnamed and named. Named ones exist within one execution only: none is there at its
 * start. */
#include "worlds/threads/model/sem.h"
#include "core/without_libc.h"
#include "worlds/threads/libc/announce.h"
#include "worlds/threads/memory/system_memory.h"
#include "worlds/threads/system/permission.h"
#include "worlds/threads/system/punctual.h"
#include "worlds/threads/system/time.h"
#include "worlds/threads/thread/scheduling.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <semaphore.h>
#include <stdarg.h>

#define NAMED 64

struct named {
  sem_t sem;
  char name[256];
  uint32_t references[PROCESSES];
  bool used, unlinked;
  struct owner owner; /* of the file that it would be */
};

static struct {
  bool any;
  struct named named[NAMED];
} state SYSTEM;

static void set_up(struct object *s)
{
  int value = 0;
  REAL(sem_getvalue)((sem_t *)s->addr, &value);
  s->count = (uint32_t)value;
}

static struct object *sem_object(sem_t *sem)
{
  return object_at(sem, OBJECT_SEM, set_up);
}

static int failed(int error)
{
  performed(error);
  errno = error;
  return -1;
}

static bool closed(const struct object *s)
{
  uintptr_t at = s->addr - (uintptr_t)state.named;
  return at < sizeof state.named && !state.named[at / sizeof *state.named].references[hd_own.process];
}

static void check_alive(const struct object *s, enum op_kind op, uintptr_t pc)
{
  if (unlikely(s->destroyed))
    misuse(s, op, pc, "uses a semaphore that was destroyed");
  if (unlikely(closed(s)))
    misuse(s, op, pc, "uses a semaphore that was closed");
}

bool sem_is_left(const struct operation *op)
{
  return object_by_id(op->object)->count > 0;
}

/* More important, or as important and waiting since before the other one came. */
static bool comes_before(const struct thread *a, const struct thread *b)
{
  return a->scheduling.priority > b->scheduling.priority ||
         (a->scheduling.priority == b->scheduling.priority && a->waited_by <= b->waits_since);
}

/* Those that wait for it already, for certain, and come first. */
static uint32_t ahead_of(unsigned thread, const struct operation *op)
{
  const struct engine *e = rt.engine;
  uint32_t n = 0;
  for (unsigned t = 0; t < e->threads; t++) {
    const struct operation *theirs = &e->thread[t].pending;
    bool waits = t != thread && e->thread[t].alive && theirs->kind == OP_SEM_WAIT && theirs->object == op->object;
    n += waits && has_begun_to_wait(t) && comes_before(&rt.thread[t], &rt.thread[thread]);
  }
  return n;
}

/* POSIX: a post is for the most important of the threads of SCHED_FIFO and SCHED_RR that wait, and of those for the one
 * that has waited longest. Searches try all orders that there are, and who is known to wait is none of an order. */
static bool is_passed_over(unsigned thread, const struct operation *op)
{
  return is_real_time(rt.thread[thread].scheduling.policy) && !rt.engine->strategy->exhaustive &&
         has_begun_to_wait(thread) && ahead_of(thread, op) >= object_by_id(op->object)->count;
}

static bool enabled(void *self, unsigned thread, const struct operation *op)
{
  (void)self;
  return (sem_is_left(op) && !is_passed_over(thread, op)) || cancel_wanted(thread);
}

static uint64_t value(void *self, const struct operation *op, uint64_t key)
{
  (void)self;
  const struct object *s = object_of(op, key);
  return s ? s->count : 0;
}

const struct object_model sem_model = {.enabled = enabled, .state = value};

static int take(struct object *s)
{
  s->count--;
  acquire_from(&s->clock);
  engine_touch(rt.engine);
  return performed(0);
}

EXPORT int sem_init(sem_t *sem, int shared, unsigned value)
{
  if (!hd_self)
    return REAL(sem_init)(sem, shared, value);
  if (REAL(sem_init)(object_find(sem, OBJECT_SEM) ? &(sem_t){0} : sem, shared, value))
    return -1;
  struct object *s = sem_object(sem);
  step_on(OP_SEM_INIT, s, value, CALLER());
  if (object_awaited(s))
    misuse(s, OP_SEM_INIT, CALLER(), "initialises a semaphore that threads wait for");
  REAL(sem_init)(sem, shared, value);
  object_forget(s);
  sem_object(sem);
  return performed(0);
}

EXPORT int sem_destroy(sem_t *sem)
{
  if (!hd_self)
    return REAL(sem_destroy)(sem);
  struct object *s = sem_object(sem);
  step_on(OP_SEM_DESTROY, s, 0, CALLER());
  check_alive(s, OP_SEM_DESTROY, CALLER());
  if (object_awaited(s))
    misuse(s, OP_SEM_DESTROY, CALLER(), "destroys a semaphore that threads wait for");
  object_destroyed(s);
  return performed(0);
}

/* There is one to take, and the thread was cancelled since it came here: which it notices is anybody's guess. */
static void notice_cancel(const struct object *s, uintptr_t pc)
{
  if (unlikely(cancel_wanted(self_index())) && (!s->count || engine_choose(rt.engine, 2) == 0))
    check_cancel(pc);
}

/* The step was given up for a handler. */
static bool was_interrupted(void)
{
  bool interrupted = self_thread()->interrupted;
  self_thread()->interrupted = false;
  return interrupted;
}

EXPORT int sem_wait(sem_t *sem)
{
  if (!hd_self)
    return REAL(sem_wait)(sem);
  check_cancel(CALLER());
  struct object *s = sem_object(sem);
  check_alive(s, OP_SEM_WAIT, CALLER());
  self_thread()->waits_since = rt.engine->step;
  step_on(OP_SEM_WAIT, s, 0, CALLER());
  if (unlikely(was_interrupted()))
    return failed(EINTR);
  check_alive(s, OP_SEM_WAIT, CALLER());
  notice_cancel(s, CALLER());
  return take(s);
}

EXPORT int sem_trywait(sem_t *sem)
{
  if (!hd_self)
    return REAL(sem_trywait)(sem);
  struct object *s = sem_object(sem);
  step_on(OP_SEM_TRYWAIT, s, 0, CALLER());
  check_alive(s, OP_SEM_TRYWAIT, CALLER());
  return s->count ? take(s) : failed(EAGAIN);
}

static int wait_until(sem_t *sem, clockid_t clock, const struct timespec *at, uintptr_t pc)
{
  struct object *s = sem_object(sem);
  if (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC)
    return failed(EINVAL);
  int64_t deadline = deadline_of(clock, at);
  check_cancel(pc);
  ends_at(deadline);
  step_on(OP_SEM_TIMEDWAIT, s, 0, pc);
  if (unlikely(was_interrupted()))
    return failed(EINTR);
  check_alive(s, OP_SEM_TIMEDWAIT, pc);
  notice_cancel(s, pc);
  if (s->count)
    return take(s);
  if (deadline < 0)
    return failed(EINVAL);
  enum wait_end end;
  while ((end = time_goes_on(deadline)) == WAIT_GOES_ON)
    if (s->count)
      return take(s);
  return failed(end == WAIT_INTERRUPTED ? EINTR : ETIMEDOUT);
}

EXPORT int sem_timedwait(sem_t *sem, const struct timespec *at)
{
  return hd_self ? wait_until(sem, CLOCK_REALTIME, at, CALLER()) : REAL(sem_timedwait)(sem, at);
}

EXPORT int sem_clockwait(sem_t *sem, clockid_t clock, const struct timespec *at)
{
  return hd_self ? wait_until(sem, clock, at, CALLER()) : REAL(sem_clockwait)(sem, clock, at);
}

EXPORT int sem_post(sem_t *sem)
{
  if (!hd_self)
    return REAL(sem_post)(sem);
  struct object *s = sem_object(sem);
  step_on(OP_SEM_POST, s, 0, CALLER());
  check_alive(s, OP_SEM_POST, CALLER());
  if (s->count == SEM_VALUE_MAX)
    return failed(EOVERFLOW);
  s->count++;
  release_to(&s->clock);
  engine_touch(rt.engine);
  return performed(0);
}

EXPORT int sem_getvalue(sem_t *sem, int *value)
{
  if (!hd_self)
    return REAL(sem_getvalue)(sem, value);
  struct object *s = sem_object(sem);
  step_on(OP_SEM_GETVALUE, s, 0, CALLER());
  check_alive(s, OP_SEM_GETVALUE, CALLER());
  int count = performed((int)s->count);
  writes_for(value, sizeof *value, CALLER());
  *value = count;
  return 0;
}

/* ---- named ---- */

void sem_reset(void)
{
  if (!state.any)
    return;
  for (unsigned i = 0; i < NAMED; i++)
    state.named[i].used = false;
  state.any = false;
}

static struct named *find_named(const char *name)
{
  for (unsigned i = 0; i < NAMED; i++)
    if (state.named[i].used && !state.named[i].unlinked && !text_compare(state.named[i].name, name))
      return &state.named[i];
  return NULL;
}

/* Whether a name exists is decided in the order of these steps. */
static void step_on_names(uintptr_t pc)
{
  step_on(OP_SEM_INIT, object_at(&state.any, OBJECT_SEM, NULL), 0, pc);
  performed(0);
}

static bool good_name(const char *name)
{
  while (*name == '/')
    name++;
  if (!*name)
    return false;
  while (*name && *name != '/')
    name++;
  return !*name;
}

static sem_t *no_sem(int error)
{
  errno = error;
  return SEM_FAILED;
}

static bool is_open(const struct named *n)
{
  for (unsigned p = 0; p < PROCESSES; p++)
    if (n->references[p])
      return true;
  return false;
}

void sem_fork(unsigned process, unsigned copy)
{
  for (unsigned i = 0; i < NAMED && state.any; i++)
    state.named[i].references[copy] = state.named[i].references[process];
}

void sem_process_ended(unsigned process)
{
  for (unsigned i = 0; i < NAMED && state.any; i++) {
    struct named *n = &state.named[i];
    n->references[process] = 0;
    n->used = n->used && (!n->unlinked || is_open(n));
  }
}

static sem_t *make_named(const char *name, unsigned mode, unsigned value)
{
  for (unsigned i = 0; i < NAMED; i++) {
    struct named *n = &state.named[i];
    if (n->used)
      continue;
    state.any = n->used = true;
    n->unlinked = false;
    fill_bytes(n->references, 0, sizeof n->references);
    n->references[hd_own.process] = 1;
    n->owner = owner_new(mode, true);
    print_text(n->name, sizeof n->name, "%s", name);
    struct object *s = object_find(&n->sem, OBJECT_SEM);
    if (s)
      object_forget(s);
    REAL(sem_init)(&n->sem, 0, 0);
    sem_object(&n->sem)->count = value;
    return &n->sem;
  }
  return no_sem(EMFILE);
}

EXPORT sem_t *sem_open(const char *name, int flags, ...)
{
  unsigned mode = 0, value = 0;
  if (flags & O_CREAT) {
    va_list args;
    va_start(args, flags);
    mode = va_arg(args, unsigned);
    value = va_arg(args, unsigned);
    va_end(args);
  }
  if (!hd_self)
    return REAL(sem_open)(name, flags, mode, value);
  step_on_names(CALLER());
  if (text_length(name) >= sizeof state.named[0].name)
    return no_sem(ENAMETOOLONG);
  if (!good_name(name))
    return no_sem(EINVAL);
  struct named *n = find_named(name);
  if (n && flags & O_CREAT && flags & O_EXCL)
    return no_sem(EEXIST);
  if (!n && !(flags & O_CREAT))
    return no_sem(ENOENT);
  if (value > SEM_VALUE_MAX)
    return no_sem(EINVAL);
  if (!n)
    return make_named(name, mode, value);
  if (!owner_permits(&n->owner, MAY_READ | MAY_WRITE))
    return no_sem(EACCES);
  n->references[hd_own.process]++;
  return &n->sem;
}

EXPORT int sem_close(sem_t *sem)
{
  if (!hd_self)
    return REAL(sem_close)(sem);
  for (unsigned i = 0; i < NAMED; i++)
    if (&state.named[i].sem == sem && state.named[i].used && state.named[i].references[hd_own.process]) {
      state.named[i].references[hd_own.process]--;
      state.named[i].used = !state.named[i].unlinked || is_open(&state.named[i]);
      return 0;
    }
  errno = EINVAL;
  return -1;
}

EXPORT int sem_unlink(const char *name)
{
  if (!hd_self)
    return REAL(sem_unlink)(name);
  step_on_names(CALLER());
  struct named *n = find_named(name);
  if (!n || !is_owner(&n->owner)) {
    errno = n ? EACCES : ENOENT;
    return -1;
  }
  n->unlinked = true;
  n->used = is_open(n);
  return 0;
}
