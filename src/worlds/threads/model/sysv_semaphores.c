/* SPDX-License-Identifier: Apache-2.0
 *
 * System V semaphores, in sets. All operations of one call are performed at once or none is; what a call waits for is
 * kept here (struct request), since a search asks for it when the program's memory holds something else. So is what the
 * end of a process undoes (SEM_UNDO).
 */
#include "worlds/threads/model/sysv_semaphores.h"
#include "core/key.h"
#include "core/without_libc.h"
#include "worlds/threads/libc/announce.h"
#include "worlds/threads/memory/system_memory.h"
#include "worlds/threads/model/changes.h"
#include "worlds/threads/model/sysv.h"
#include "worlds/threads/process/processes.h"
#include "worlds/threads/system/punctual.h"
#include "worlds/threads/system/time.h"
#include <errno.h>
#include <stdarg.h>
#include <sys/sem.h>
#include <sys/syscall.h>

#define SETS 128
#define IN_A_SET 250
#define IN_A_CALL 64
#define LARGEST 32767
#define REQUESTS 1024
#define OPERATIONS 8192
#define ADJUSTMENTS 1024
#define REMOVED UINT16_MAX /* as the index of a change */

static struct sysv_table ids SYSTEM;
static struct set {
  bool removed;
  uint32_t size;
  uint64_t state; /* changes.h */
  time_t operated, changed;
  int id, key;
  uint16_t value[IN_A_SET];
  pid_t last[IN_A_SET]; /* who changed it */
  struct vclock clock;
  struct threadset waited; /* when it was removed */
} sets[SETS] SYSTEM;
static struct set *set_at_place[SYSV_IDS] SYSTEM;
static uint32_t sets_made SYSTEM;

static struct sembuf operations[OPERATIONS] SYSTEM;
static struct request {
  uint32_t first, count;
} requests[REQUESTS] SYSTEM;
static uint32_t operations_made SYSTEM, requests_made SYSTEM;

/* What is added to a semaphore when the process ends. */
static struct adjustment {
  struct set *set;
  uint16_t index, process;
  int by;
} adjustments[ADJUSTMENTS] SYSTEM;
static uint32_t adjustments_made SYSTEM;

void sysv_semaphores_reset(void)
{
  sysv_reset(&ids);
  sets_made = operations_made = requests_made = adjustments_made = 0;
}

static struct set *set_of(uintptr_t addr)
{
  uintptr_t at = addr - (uintptr_t)sets;
  return at < sizeof sets ? &sets[at / sizeof *sets] : NULL;
}

void semaphores_name(uintptr_t addr, char *out, size_t n)
{
  const struct set *s = set_of(addr);
  if (s)
    print_text(out, n, "set %d (key 0x%x)", s->id, (unsigned)s->key);
}

/* One that was removed, too: whether it is there is known at a step on it. NULL: there never was one. */
static struct set *set_by_id(int id)
{
  for (struct set *s = sets; s < sets + sets_made; s++)
    if (s->id == id)
      return s;
  return NULL;
}

static struct object *object_of_set(const void *set)
{
  return object_at(set, OBJECT_SEMSET, NULL);
}

static void change(struct set *s, unsigned index, int value)
{
  if (index != REMOVED) {
    s->value[index] = (uint16_t)value;
    s->last[index] = process_id(hd_own.process);
  }
  s->state = change_noted(object_of_set(s)->id, 0, index, value);
  engine_touch(rt.engine);
}

/* ---- requests ---- */

static bool is_request(const struct request *r, const struct sembuf *wanted, size_t count)
{
  if (r->count != count)
    return false;
  for (size_t i = 0; i < count; i++) {
    const struct sembuf *o = &operations[r->first + i];
    if (o->sem_num != wanted[i].sem_num || o->sem_op != wanted[i].sem_op || o->sem_flg != wanted[i].sem_flg)
      return false;
  }
  return true;
}

static uint32_t request_for(const struct sembuf *wanted, size_t count)
{
  for (uint32_t i = 0; i < requests_made; i++)
    if (is_request(&requests[i], wanted, count))
      return i;
  if (requests_made == REQUESTS || operations_made + count > OPERATIONS)
    fail(0, "the program calls semop() in more than %u different ways in one execution", requests_made);
  requests[requests_made] = (struct request){operations_made, (uint32_t)count};
  for (size_t i = 0; i < count; i++)
    operations[operations_made++] = wanted[i];
  return requests_made++;
}

#define WAITS (-1)

/* What becomes of it with those values, which it changes: 0, an errno, or WAITS; at: for which semaphore. */
static int evaluate(uint16_t *value, const struct request *r, unsigned *at)
{
  for (uint32_t i = r->first; i < r->first + r->count; i++) {
    const struct sembuf *o = &operations[i];
    int now = value[o->sem_num], then = now + o->sem_op;
    *at = o->sem_num;
    if (o->sem_op ? then < 0 : now != 0)
      return o->sem_flg & IPC_NOWAIT ? EAGAIN : WAITS;
    if (then > LARGEST)
      return ERANGE;
    value[o->sem_num] = (uint16_t)then;
  }
  return 0;
}

static int outcome(const struct set *s, const struct request *r, uint16_t *value, unsigned *at)
{
  copy_bytes(value, s->value, s->size * sizeof *value);
  return evaluate(value, r, at);
}

/* ---- the rules ---- */

bool semaphores_permit(const struct operation *op)
{
  const struct set *s = set_of(op->addr);
  uint16_t value[IN_A_SET];
  unsigned at;
  return s->removed || outcome(s, &requests[op->arg], value, &at) != WAITS;
}

static bool enabled(void *self, unsigned thread, const struct operation *op)
{
  (void)self, (void)thread;
  return semaphores_permit(op);
}

static uint64_t state_of(void *self, const struct operation *op, uint64_t key)
{
  (void)self, (void)op;
  const struct set *s = set_of(key_address(key));
  return s ? s->state : 0;
}

static bool possible(void *self, unsigned thread, const struct operation *op, uint64_t state)
{
  (void)self, (void)thread;
  uint16_t value[IN_A_SET] = {0};
  unsigned at;
  for (uint64_t n = 1; n <= state; n++) {
    const struct change *c = change_at(n);
    if (c->object == op->object && c->index == REMOVED)
      return true;
    if (c->object == op->object)
      value[c->index] = (uint16_t)c->value;
  }
  return evaluate(value, &requests[op->arg], &at) != WAITS;
}

const struct object_model semset_model = {.enabled = enabled, .state = state_of, .possible = possible};

/* ---- semget ---- */

static void step_on_set(enum op_kind kind, const void *set, bool far, uintptr_t pc)
{
  struct object *o = object_of_set(set);
  struct operation op = {.kind = kind, .object = o->id, .addr = o->addr, .traits = far ? OP_FAR : 0, .pc = pc};
  step(&op);
  performed(0);
}

static time_t now(void)
{
  return virtual_now(CLOCK_REALTIME).tv_sec;
}

static long get(int key, int count, int flags, uintptr_t pc)
{
  bool created;
  step_on_set(OP_SEMSET_OPEN, &ids, false, pc);
  if (count < 0 || count > IN_A_SET)
    return -EINVAL;
  long place = sysv_find(&ids, key, flags, &created);
  if (place < 0)
    return place;
  if (!created)
    return (uint32_t)count > set_at_place[place]->size ? -EINVAL : sysv_id_at(&ids, place);
  if (count == 0)
    return -EINVAL;
  if (sets_made == SETS)
    fail(pc, "the program makes more than %d sets of semaphores in one execution", SETS);
  struct set *s = set_at_place[place] = &sets[sets_made++];
  *s = (struct set){.size = (uint32_t)count, .key = key, .changed = now()};
  s->id = sysv_take(&ids, place, key, flags);
  return s->id;
}

/* ---- semop ---- */

static bool changes_something(const struct sembuf *wanted, size_t count)
{
  for (size_t i = 0; i < count; i++)
    if (wanted[i].sem_op)
      return true;
  return false;
}

static void adjust(struct set *s, unsigned index, int by)
{
  struct adjustment *a = adjustments, *end = adjustments + adjustments_made;
  while (a < end && !(a->set == s && a->index == index && a->process == hd_own.process))
    a++;
  if (a == end) {
    if (adjustments_made++ == ADJUSTMENTS)
      fail(0, "the program calls semop() with SEM_UNDO for more than %d semaphores in one execution", ADJUSTMENTS);
    *a = (struct adjustment){.set = s, .index = (uint16_t)index, .process = (uint16_t)hd_own.process};
  }
  a->by += by;
}

void semaphores_process_ended(unsigned process)
{
  for (struct adjustment *a = adjustments; a < adjustments + adjustments_made; a++) {
    if (a->process != process || !a->by || a->set->removed)
      continue;
    int then = a->set->value[a->index] + a->by;
    change(a->set, a->index, then < 0 ? 0 : then > LARGEST ? LARGEST : then);
    a->set->operated = now();
    release_to(&a->set->clock);
    a->by = 0;
  }
}

/* A value that is set is nobody's to undo. */
static void forget_adjustments(const struct set *s, unsigned index)
{
  for (struct adjustment *a = adjustments; a < adjustments + adjustments_made; a++)
    if (a->set == s && a->index == index)
      a->by = 0;
}

static void apply(struct set *s, const struct request *r, const uint16_t *value)
{
  bool gives = false, takes = false;
  for (uint32_t i = r->first; i < r->first + r->count; i++) {
    const struct sembuf *o = &operations[i];
    gives |= o->sem_op > 0;
    takes |= o->sem_op <= 0;
    if (o->sem_op && s->value[o->sem_num] != value[o->sem_num])
      change(s, o->sem_num, value[o->sem_num]);
    s->last[o->sem_num] = process_id(hd_own.process);
    if (o->sem_flg & SEM_UNDO && o->sem_op)
      adjust(s, o->sem_num, -o->sem_op);
  }
  s->operated = now();
  if (takes)
    acquire_from(&s->clock);
  if (gives)
    release_to(&s->clock);
}

/* Who was in the call by then was told so; who came later finds nothing. */
static int error_of_removed(const struct set *s)
{
  bool waited = threadset_has(&s->waited, self_index());
  return waited && engine_choose(rt.engine, 2) == 0 ? EIDRM : (int)-sysv_place(&ids, s->id);
}

/* 0 or an errno. */
static int operate(struct set *s, uint32_t request, int64_t deadline, uintptr_t pc)
{
  struct operation op = {.kind = deadline < 0 ? OP_SEMSET_OPERATE : OP_SEMSET_TIMEDOPERATE,
                         .object = object_of_set(s)->id,
                         .addr = (uintptr_t)s,
                         .arg = request,
                         .pc = pc};
  if (deadline >= 0)
    ends_at(deadline);
  step(&op);
  bool interrupted = self_thread()->interrupted;
  self_thread()->interrupted = false;
  if (unlikely(interrupted))
    return performed(EINTR);
  enum wait_end end = WAIT_GOES_ON;
  uint16_t value[IN_A_SET];
  unsigned at;
  int error;
  while (!s->removed && (error = outcome(s, &requests[request], value, &at)) == WAITS) {
    if (end != WAIT_GOES_ON)
      return performed(end == WAIT_IS_OVER ? EAGAIN : EINTR);
    end = time_goes_on(deadline);
  }
  if (s->removed)
    return performed(error_of_removed(s));
  if (!error)
    apply(s, &requests[request], value);
  return performed(error);
}

static long operations_on(int id, const struct sembuf *wanted, size_t count, const struct timespec *timeout,
                          uintptr_t pc)
{
  reads_for(timeout, sizeof *timeout, pc);
  if (count < 1 || id < 0)
    return -EINVAL;
  if (count > IN_A_CALL)
    return -E2BIG;
  reads_for(wanted, count * sizeof *wanted, pc);
  if (timeout && (timeout->tv_sec < 0 || timeout->tv_nsec < 0 || timeout->tv_nsec >= 1000000000))
    return -EINVAL;
  struct set *s = set_by_id(id);
  if (!s)
    return -EINVAL;
  for (size_t i = 0; i < count; i++)
    if (wanted[i].sem_num >= s->size)
      return -EFBIG;
  long place = sysv_place(&ids, id);
  unsigned access = changes_something(wanted, count) ? MAY_WRITE : MAY_READ;
  if (place >= 0 && !owner_permits(&ids.id[place].owner, access))
    return -EACCES;
  int64_t deadline = timeout ? (int64_t)rt.now + timeout->tv_sec * 1000000000 + timeout->tv_nsec : -1;
  return -operate(s, request_for(wanted, count), deadline, pc);
}

/* ---- semctl ---- */

union argument {
  int value;
  struct semid_ds *about;
  unsigned short *values;
};

static long tell(long place, struct semid_ds *out, uintptr_t pc)
{
  const struct set *s = set_at_place[place];
  writes_for(out, sizeof *out, pc);
  *out = (struct semid_ds){.sem_perm = sysv_permissions(&ids.id[place]),
                           .sem_otime = s->operated,
                           .sem_ctime = s->changed,
                           .sem_nsems = s->size};
  return 0;
}

/* The thread stands before operations on it. */
static bool is_on(const struct set *s, unsigned t)
{
  const struct thread_state *thread = &rt.engine->thread[t];
  return t != self_index() && thread->alive && thread->pending.addr == (uintptr_t)s &&
         (thread->pending.kind == OP_SEMSET_OPERATE || thread->pending.kind == OP_SEMSET_TIMEDOPERATE);
}

/* How many threads wait for that semaphore: for its value to grow, or to be 0. */
static long count_waiters(const struct set *s, unsigned number, bool for_zero)
{
  long waiters = 0;
  for (unsigned t = 0; t < rt.engine->threads; t++) {
    const struct request *r = &requests[rt.engine->thread[t].pending.arg];
    uint16_t value[IN_A_SET];
    unsigned at = 0;
    if (!is_on(s, t) || outcome(s, r, value, &at) != WAITS || at != number)
      continue;
    uint32_t i = r->first;
    while (operations[i].sem_num != at)
      i++;
    waiters += (operations[i].sem_op == 0) == for_zero;
  }
  return waiters;
}

static long set_values(struct set *s, unsigned first, size_t count, const unsigned short *to)
{
  for (size_t i = 0; i < count; i++)
    if (to[i] > LARGEST)
      return -ERANGE;
  for (size_t i = 0; i < count; i++) {
    change(s, first + (unsigned)i, to[i]);
    forget_adjustments(s, first + (unsigned)i);
  }
  s->changed = now();
  release_to(&s->clock);
  return 0;
}

static void note_waiters(struct set *s)
{
  for (unsigned t = 0; t < rt.engine->threads; t++)
    if (is_on(s, t) && !semaphores_permit(&rt.engine->thread[t].pending))
      threadset_add(&s->waited, t);
}

static long discard(long place)
{
  struct sysv_id *id = &ids.id[place];
  if (!is_owner(&id->owner) && !is_owner(&id->creator))
    return -EPERM;
  note_waiters(set_at_place[place]);
  set_at_place[place]->removed = true;
  change(set_at_place[place], REMOVED, 0);
  id->used = false;
  id->sequence++;
  return 0;
}

static long set_owner(long place, const struct semid_ds *to)
{
  set_at_place[place]->changed = now();
  return sysv_set_owner(&ids.id[place], &to->sem_perm);
}

static long get_values(const struct set *s, unsigned short *to, uintptr_t pc)
{
  writes_for(to, s->size * sizeof *to, pc);
  copy_bytes(to, s->value, s->size * sizeof *to);
  return 0;
}

static bool is_about_one(int command)
{
  return command == GETVAL || command == SETVAL || command == GETPID || command == GETNCNT || command == GETZCNT;
}

static bool looks(int command)
{
  return command == IPC_STAT || command == GETALL || (is_about_one(command) && command != SETVAL);
}

static bool writes_values(int command)
{
  return command == SETVAL || command == SETALL;
}

/* Of a place that may be used that way. */
static long perform_control(long place, unsigned number, int command, union argument arg, uintptr_t pc)
{
  struct set *s = set_at_place[place];
  unsigned short value = (unsigned short)arg.value;
  switch (command) {
  case IPC_STAT:
    return tell(place, arg.about, pc);
  case IPC_SET:
    return set_owner(place, arg.about);
  case IPC_RMID:
    return discard(place);
  case GETVAL:
    return s->value[number];
  case GETPID:
    return s->last[number];
  case GETNCNT:
  case GETZCNT:
    return count_waiters(s, number, command == GETZCNT);
  case GETALL:
    return get_values(s, arg.values, pc);
  case SETVAL:
    return arg.value < 0 || arg.value > LARGEST ? -ERANGE : set_values(s, number, 1, &value);
  case SETALL:
    return set_values(s, 0, s->size, arg.values);
  default:
    return -EINVAL;
  }
}

static long control(int id, int number, int command, union argument arg, uintptr_t pc)
{
  struct set *s = set_by_id(id);
  if (!s)
    return -EINVAL;
  if (is_about_one(command) && (number < 0 || (uint32_t)number >= s->size))
    return -EINVAL;
  if (command == IPC_SET)
    reads_for(arg.about, sizeof *arg.about, pc);
  if (command == SETALL)
    reads_for(arg.values, s->size * sizeof *arg.values, pc);
  if (command == IPC_RMID) /* nobody finds it any more */
    step_on_set(OP_SEMSET_CHANGE, &ids, false, pc);
  /* who is in a call with it, or only about to make one, counts or not, and is told something else when it goes */
  bool far = command == GETNCNT || command == GETZCNT || command == IPC_RMID;
  step_on_set(looks(command) ? OP_SEMSET_LOOK : OP_SEMSET_CHANGE, s, far, pc);
  long place = sysv_place(&ids, id);
  if (place < 0)
    return place;
  bool permitted = owner_permits(&ids.id[place].owner, writes_values(command) ? MAY_WRITE : MAY_READ);
  if (!permitted && command != IPC_RMID && command != IPC_SET)
    return -EACCES;
  return perform_control(place, (unsigned)number, command, arg, pc);
}

long sysv_semaphore_call(const struct call *c)
{
  const long *a = c->arg;
  switch (c->number) {
  case SYS_semget:
    return get((int)a[0], (int)a[1], (int)a[2], c->pc);
  case SYS_semctl:
    return control((int)a[0], (int)a[1], (int)a[2], (union argument){.about = (struct semid_ds *)a[3]}, c->pc);
  default:
    return operations_on((int)a[0], (const struct sembuf *)a[1], (size_t)a[2],
                         c->number == SYS_semtimedop ? (const struct timespec *)a[3] : NULL, c->pc);
  }
}

/* ---- libc's functions ---- */

static int answer(long result)
{
  if (result >= 0)
    return (int)result;
  errno = (int)-result;
  return -1;
}

EXPORT int semget(key_t key, int count, int flags)
{
  return SYSV_IS_MODELLED ? answer(get(key, count, flags, CALLER())) : REAL(semget)(key, count, flags);
}

EXPORT int semop(int id, struct sembuf *wanted, size_t count)
{
  return SYSV_IS_MODELLED ? answer(operations_on(id, wanted, count, NULL, CALLER())) : REAL(semop)(id, wanted, count);
}

EXPORT int semtimedop(int id, struct sembuf *wanted, size_t count, const struct timespec *timeout)
{
  return SYSV_IS_MODELLED ? answer(operations_on(id, wanted, count, timeout, CALLER()))
                          : REAL(semtimedop)(id, wanted, count, timeout);
}

EXPORT int semctl(int id, int number, int command, ...)
{
  union argument arg = {.about = NULL};
  va_list args;
  va_start(args, command);
  if (writes_values(command) || command == GETALL || command == IPC_STAT || command == IPC_SET)
    arg = va_arg(args, union argument);
  va_end(args);
  return SYSV_IS_MODELLED ? answer(control(id, number, command, arg, CALLER()))
                          : REAL(semctl)(id, number, command, arg);
}
