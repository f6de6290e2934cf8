/* SPDX-License-Identifier: Apache-2.0
 *
 * Asynchronous requests. Each is performed by a task of the system's own, as a system call of its own: it can begin and
 * end at any time, in any order but where POSIX has one. Of one descriptor those that append, and those of what cannot
 * be sought in, come in the order of their submission, more urgent ones first, and a sync after all before it. A task
 * that has nothing to do takes the next one. All that is waited for or looked at is one object, the list of requests.
 */
#include "worlds/threads/system/aio_requests.h"
#include "core/key.h"
#include "core/without_libc.h"
#include "worlds/threads/memory/system_memory.h"
#include "worlds/threads/model/changes.h"
#include "worlds/threads/system/call.h"
#include "worlds/threads/system/descriptors.h"
#include "worlds/threads/system/outside.h"
#include "worlds/threads/system/punctual.h"
#include "worlds/threads/system/time.h"
#include "worlds/threads/thread/thread.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define REQUESTS 4096
#define WORKERS 16
#define GROUPS 64
#define WAITS 4096
#define AWAITED 32768
#define LEAST_URGENT 20 /* AIO_PRIO_DELTA_MAX */

enum { UNKNOWN_YET, QUEUED, BEGUN, OVER };

static struct request {
  struct aiocb *block;
  int fd, operation, urgency; /* 0 is the most urgent one */
  bool sync, in_order;
  uint8_t state;
  uint8_t worker; /* + 1; 0: none has time for it */
  struct aio_group *group;
  struct notice notify;
  uintptr_t pc;
  struct vclock submitted;
} requests[REQUESTS];
static uint32_t requests_made;

static struct {
  unsigned task;
  uint32_t request; /* + 1 */
} workers[WORKERS];
static uint32_t workers_made;

static struct aio_group groups[GROUPS];
static bool any_signals; /* are sent when requests are over */

/* What threads wait for, by number: a search asks for it later. */
static struct awaited {
  uint32_t first, count;
} waits[WAITS];
static uint16_t awaited[AWAITED];
static uint32_t waits_made, awaited_made;

static char list;           /* the object of all steps */
static uint64_t list_state; /* changes.h */
static struct vclock ended; /* what the tasks knew when they had performed requests */

enum { CHANGE_STATE, CHANGE_WORKER };

void aio_reset(void)
{
  if (!requests_made && !waits_made)
    return;
  requests_made = workers_made = waits_made = awaited_made = 0;
  list_state = 0;
  any_signals = false;
  vclock_clear(&ended);
  for (unsigned i = 0; i < GROUPS; i++)
    groups[i].left = 0;
}

/* ---- the rules ---- */

static void note(unsigned what, unsigned index, int64_t value)
{
  list_state = change_noted(object_at(&list, OBJECT_AIO, NULL)->id, what, index, value);
  engine_touch(rt.engine);
}

static void set_state(uint32_t r, unsigned state)
{
  requests[r].state = (uint8_t)state;
  note(CHANGE_STATE, r, state);
}

static bool is_before(const struct request *q, const struct request *r)
{
  if (q->fd != r->fd || q == r)
    return false;
  if (r->sync || (r->in_order && !q->sync))
    return q < r;
  return !q->sync && q->urgency < r->urgency;
}

static bool in_progress(unsigned state)
{
  return state == QUEUED || state == BEGUN;
}

/* The states of all requests, as they are now or as they were. */
typedef uint8_t states[REQUESTS];

static bool can_begin(const uint8_t *state, uint32_t request)
{
  if (!request || state[request - 1] != QUEUED)
    return false;
  for (uint32_t q = 0; q < requests_made; q++)
    if (in_progress(state[q]) && is_before(&requests[q], &requests[request - 1]))
      return false;
  return true;
}

/* In op->length. */
#define OP_NO_RESTART 1
#define OP_ALL 2

static bool wait_is_over(const uint8_t *state, const struct operation *op)
{
  const struct awaited *w = &waits[op->arg];
  uint32_t left = 0;
  for (uint32_t i = w->first; i < w->first + w->count; i++)
    left += in_progress(state[awaited[i]]);
  return left == 0 || (!(op->length & OP_ALL) && left < w->count);
}

static bool permits(const uint8_t *state, uint32_t request, const struct operation *op)
{
  return op->kind == OP_AIO_BEGIN ? can_begin(state, request) : wait_is_over(state, op);
}

static void states_now(states out)
{
  for (uint32_t r = 0; r < requests_made; r++)
    out[r] = requests[r].state;
}

/* Requests are known where they were made, and change only there; who asks elsewhere is told what was last found. */
bool aio_ready(unsigned thread, const struct operation *op)
{
  static bool found[MAX_THREADS] SYSTEM;
  static states now;
  if (rt.thread[thread].process != hd_own.process)
    return found[thread];
  states_now(now);
  found[thread] = permits(now, op->kind == OP_AIO_BEGIN ? workers[op->arg].request : 0, op);
  return found[thread];
}

static bool enabled(void *self, unsigned thread, const struct operation *op)
{
  (void)self;
  return aio_ready(thread, op) || (op->kind != OP_AIO_BEGIN && cancel_wanted(thread));
}

static uint64_t state_of(void *self, const struct operation *op, uint64_t key)
{
  (void)self, (void)op, (void)key;
  return list_state;
}

static bool possible(void *self, unsigned thread, const struct operation *op, uint64_t state)
{
  (void)self;
  static states then;
  uint32_t request = 0;
  if (rt.thread[thread].process != hd_own.process)
    return true; /* as far as can be told here */
  fill_bytes(then, UNKNOWN_YET, requests_made);
  for (uint64_t n = 1; n <= state; n++) {
    const struct change *c = change_at(n);
    if (c->object != op->object)
      continue;
    if (c->what == CHANGE_STATE)
      then[c->index] = (uint8_t)c->value;
    else if (op->kind == OP_AIO_BEGIN && c->index == op->arg)
      request = (uint32_t)c->value;
  }
  return permits(then, request, op);
}

const struct object_model aio_model = {.enabled = enabled, .state = state_of, .possible = possible};

/* ---- steps ---- */

static struct operation operation_on_list(enum op_kind kind, uint64_t arg, bool far, uintptr_t pc)
{
  return (struct operation){.kind = kind,
                            .object = object_at(&list, OBJECT_AIO, NULL)->id,
                            .addr = (uintptr_t)&list,
                            .arg = arg,
                            .traits = far ? OP_FAR : 0,
                            .pc = pc};
}

static void step_on_list(enum op_kind kind, bool far, uintptr_t pc)
{
  struct operation op = operation_on_list(kind, 0, far, pc);
  step(&op);
}

/* ---- the tasks ---- */

static void give(unsigned w, uint32_t request)
{
  workers[w].request = request;
  if (request)
    requests[request - 1].worker = (uint8_t)(w + 1);
  note(CHANGE_WORKER, w, request);
}

static uint32_t next_without_worker(void)
{
  for (uint32_t r = 0; r < requests_made; r++)
    if (requests[r].state == QUEUED && !requests[r].worker)
      return r + 1;
  return 0;
}

static bool is_wanted(const struct notice *n, bool signal)
{
  return signal ? n->how == SIGEV_SIGNAL && n->signal : n->how != SIGEV_NONE;
}

/* Its end tells somebody by a signal, which may concern any thread. */
static bool ends_with_signal(const struct request *r)
{
  return is_wanted(&r->notify, true) || (r->group && is_wanted(&r->group->notify, true));
}

/* What is to be told now that it is over; up to two. */
static unsigned ends(uint32_t r, long result, struct notice tell[2])
{
  struct request *q = &requests[r];
  unsigned n = 0;
  q->block->__return_value = result < 0 ? -1 : result;
  q->block->__error_code = result < 0 ? (int)-result : 0;
  set_state(r, OVER);
  if (is_wanted(&q->notify, false))
    tell[n++] = q->notify;
  if (q->group && --q->group->left == 0 && is_wanted(&q->group->notify, false))
    tell[n++] = q->group->notify;
  return n;
}

static long perform_request(const struct request *r)
{
  const struct aiocb *b = r->block;
  bool reads = r->operation == LIO_READ;
  long arg[6] = {r->fd, (long)b->aio_buf, (long)b->aio_nbytes, b->aio_offset};
  if (r->sync)
    return system_call(r->operation == O_DSYNC ? SYS_fdatasync : SYS_fsync, arg, r->pc);
  long result = system_call(reads ? SYS_pread64 : SYS_pwrite64, arg, r->pc);
  return result == -ESPIPE ? system_call(reads ? SYS_read : SYS_write, arg, r->pc) : result;
}

static void begin_and_end(unsigned w)
{
  struct operation begin = operation_on_list(OP_AIO_BEGIN, w, false, 0);
  step(&begin);
  uint32_t r = workers[w].request - 1;
  struct request *q = &requests[r];
  acquire_from(&q->submitted);
  set_state(r, BEGUN);
  performed(0);
  long result = perform_request(q);
  struct notice tell[2];
  step_on_list(OP_AIO_END, ends_with_signal(q), q->pc);
  release_to(&ended);
  unsigned told = ends(r, result, tell);
  give(w, next_without_worker());
  performed(0);
  for (unsigned i = 0; i < told; i++)
    notification_send(&tell[i], SI_ASYNCIO);
}

static void *work(void *unused)
{
  unsigned w = 0;
  while (workers[w].task != self_index())
    w++;
  for (;;)
    begin_and_end(w);
  return unused; /* the execution ends before */
}

static void find_worker(uint32_t request)
{
  unsigned w = 0;
  while (w < workers_made && workers[w].request)
    w++;
  if (w == WORKERS) {
    lose(LOST_CALLS); /* it could begin before those that are under way */
    return;
  }
  if (w == workers_made) {
    workers_made++;
    workers[w].task = thread_start_system(work, w + 1, "aio");
  }
  give(w, request);
}

/* ---- submitting ---- */

struct aio_group *aio_new_group(uint32_t members, const struct notice *notify)
{
  for (struct aio_group *g = groups; g < groups + GROUPS; g++)
    if (!g->left) {
      *g = (struct aio_group){members, *notify};
      return g;
    }
  return NULL;
}

static uint32_t refused(struct aiocb *block, int error)
{
  block->__error_code = errno = error;
  block->__return_value = -1;
  return 0;
}

static bool must_be_in_order(int fd)
{
  if (descriptor_is_modelled(fd))
    return true;
  long flags = sys(SYS_fcntl, fd, F_GETFL);
  return (flags >= 0 && flags & O_APPEND) || sys(SYS_lseek, fd, 0, SEEK_CUR) == -ESPIPE;
}

/* From now on, who cancels requests may send signals: also who stands before that already. */
static void note_signals(void)
{
  any_signals = true;
  for (unsigned t = 0; t < rt.engine->threads; t++)
    if (rt.engine->thread[t].alive && rt.engine->thread[t].pending.kind == OP_AIO_CHANGE)
      rt.engine->thread[t].pending.traits |= OP_FAR;
}

uint32_t aio_submit(struct aiocb *block, int operation, bool sync, struct aio_group *group, uintptr_t pc)
{
  struct notice notify;
  step_on_list(OP_AIO_SUBMIT, false, pc);
  bool known = notification_wanted(&block->aio_sigevent, &notify);
  bool transfers = operation == LIO_READ || operation == LIO_WRITE, urgent = block->aio_reqprio >= 0;
  bool good = sync || (transfers && block->aio_offset >= 0 && urgent && block->aio_reqprio <= LEAST_URGENT);
  if (!known || !good)
    return (uint32_t)performed((int)refused(block, EINVAL));
  if (requests_made == REQUESTS)
    fail(pc, "the program makes more than %u asynchronous requests in one execution", REQUESTS);
  struct request *r = &requests[requests_made++];
  *r = (struct request){.block = block,
                        .fd = block->aio_fildes,
                        .operation = operation,
                        .urgency = sync ? 0 : block->aio_reqprio,
                        .sync = sync,
                        .in_order = !sync && must_be_in_order(block->aio_fildes),
                        .group = group,
                        .notify = notify,
                        .pc = pc};
  block->__error_code = EINPROGRESS;
  block->__return_value = 0;
  if (ends_with_signal(r))
    note_signals();
  release_to(&r->submitted);
  set_state(requests_made - 1, QUEUED);
  find_worker(requests_made);
  performed(0);
  return requests_made;
}

uint32_t aio_in_progress(const struct aiocb *block)
{
  for (uint32_t r = requests_made; r-- > 0;)
    if (requests[r].block == block && in_progress(requests[r].state))
      return r + 1;
  return 0;
}

void aio_look(const struct aiocb *block, uintptr_t pc)
{
  step_on_list(OP_AIO_LOOK, false, pc);
  if (!aio_in_progress(block))
    acquire_from(&ended);
  performed(0);
}

/* ---- waiting ---- */

/* One that is over already ends a wait for one of them. */
static uint32_t new_wait(const struct aiocb *const *blocks, int count, bool all)
{
  bool over = false;
  uint32_t first = awaited_made, n = 0;
  for (int i = 0; i < count; i++) {
    uint32_t r = blocks[i] ? aio_in_progress(blocks[i]) : 0;
    over |= blocks[i] && !r;
    if (r && awaited_made + n < AWAITED)
      awaited[awaited_made + n++] = (uint16_t)(r - 1);
  }
  n = over && !all ? 0 : n;
  if (waits_made == WAITS || awaited_made + n == AWAITED)
    fail(0, "the program waits more than %u times for asynchronous requests in one execution", waits_made);
  awaited_made += n;
  waits[waits_made] = (struct awaited){first, n};
  return waits_made++;
}

int aio_wait(const struct aiocb *const *blocks, int count, bool all, int64_t deadline, uintptr_t pc)
{
  check_cancel(pc);
  struct operation op =
      operation_on_list(deadline < 0 ? OP_AIO_WAIT : OP_AIO_TIMEDWAIT, new_wait(blocks, count, all), false, pc);
  op.length = OP_NO_RESTART | (all ? OP_ALL : 0);
  if (deadline >= 0)
    ends_at(deadline);
  step(&op);
  bool interrupted = self_thread()->interrupted;
  self_thread()->interrupted = false;
  if (unlikely(interrupted))
    return performed(EINTR);
  check_cancel(pc);
  enum wait_end end = WAIT_GOES_ON;
  while (!aio_ready(self_index(), &op)) {
    if (end != WAIT_GOES_ON)
      return performed(end == WAIT_IS_OVER ? EAGAIN : EINTR);
    end = time_goes_on(deadline);
  }
  acquire_from(&ended);
  return performed(0);
}

/* ---- cancelling ---- */

int aio_cancel_requests(int fd, const struct aiocb *block, uintptr_t pc)
{
  bool cancelled = false, left = false;
  struct notice tell[2];
  step_on_list(OP_AIO_CHANGE, any_signals, pc);
  for (uint32_t r = 0; r < requests_made; r++) {
    struct request *q = &requests[r];
    if (q->fd != fd || !in_progress(q->state) || (block && q->block != block))
      continue;
    left |= q->state == BEGUN;
    if (q->state == BEGUN)
      continue;
    cancelled = true;
    unsigned told = ends(r, -ECANCELED, tell);
    if (q->worker)
      give(q->worker - 1, next_without_worker());
    for (unsigned i = 0; i < told; i++)
      notification_send(&tell[i], SI_ASYNCIO);
  }
  performed(0);
  run_signals();
  return left ? AIO_NOTCANCELED : cancelled ? AIO_CANCELED : AIO_ALLDONE;
}

bool aio_is_outside(void)
{
  for (uint32_t w = 0; w < workers_made; w++)
    if (wait_is_outside(workers[w].task, &rt.engine->thread[workers[w].task].pending))
      return true;
  return false;
}
