/* SPDX-License-Identifier: Apache-2.0
 *
 * The program's memory in system calls. The kernel reads and writes it as the program itself would, so these are
 * accesses like any other: private ones are only noted; where others use the memory, each is a step. Such a call has
 * two effects then, one on the system and one on memory, and gets a copy of the memory, so that each happens at its own
 * step: as if the program had called with a buffer of its own and copied. It decides nothing about the call itself
 * (filter.c).
 */
#include "worlds/threads/memory/transfer.h"
#include "core/without_libc.h"
#include "worlds/threads/memory/private_memory.h"
#include "worlds/threads/memory/snapshot.h"
#include "worlds/threads/system/call_rules.h"
#include "worlds/threads/system/signals.h"
#include <errno.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>

#define COPIES (1 << 20)  /* bytes of one execution */
#define COPIED_UNMET 4096 /* of memory that no other thread has come near yet */

static struct {
  char *room;
  size_t used;
} copies;

void transfer_reset(void)
{
  copies.used = 0;
}

static void *room_for(size_t size)
{
  if (!copies.room)
    copies.room = private_memory(COPIES);
  if (size > COPIES - copies.used)
    return NULL;
  void *room = copies.room + copies.used;
  copies.used += (size + 15) & ~(size_t)15;
  return room;
}

/* ---- where it is ---- */

struct range {
  void *at;
  size_t size;
};

static unsigned add_vector(const struct iovec *v, size_t n, struct range *out)
{
  if (n > TRANSFER_PARTS) {
    lose(LOST_CALLS);
    n = TRANSFER_PARTS;
  }
  for (size_t i = 0; i < n; i++)
    out[i] = (struct range){v[i].iov_base, v[i].iov_len};
  return (unsigned)n;
}

/* The memory of one argument, in parts. */
static unsigned list_ranges(const struct call *c, const struct call_memory *m, struct range *out)
{
  uintptr_t at = (uintptr_t)c->arg[m->at];
  size_t by = (size_t)c->arg[m->by];
  if (at < 4096)
    return 0;
  const struct msghdr *message = (const struct msghdr *)at;
  switch ((enum memory_size)m->how) {
  case MEMORY_BYTES:
    *out = (struct range){(void *)at, m->unit};
    return 1;
  case MEMORY_SIZED:
    *out = (struct range){(void *)at, by};
    return 1;
  case MEMORY_COUNTED:
    *out = (struct range){(void *)at, (size_t)(int)by * m->unit};
    return 1;
  case MEMORY_SOCKET:
    *out = (struct range){(void *)at, by < 4096 ? 0 : *(const socklen_t *)by};
    return 1;
  case MEMORY_REQUEST:
    *out = (struct range){(void *)at, c->number == SYS_ioctl && c->arg[1] == FIONREAD ? sizeof(int) : 0};
    return 1;
  case MEMORY_VECTOR:
    return add_vector((const struct iovec *)at, by, out);
  case MEMORY_MESSAGE:
    return add_vector(message->msg_iov, message->msg_iovlen, out);
  case MEMORY_MESSAGES:
  case MEMORY_PAGES:
    lose(LOST_CALLS);
    return 0;
  case MEMORY_NONE:
    break;
  }
  return 0;
}

/* ---- pages ---- */

static void touch_vector(const struct iovec *v, size_t n)
{
  for (size_t i = 0; i < n && i < UIO_MAXIOV; i++)
    snapshot_touch((uintptr_t)v[i].iov_base, v[i].iov_len);
}

static void touch_message(struct msghdr *m)
{
  snapshot_touch((uintptr_t)m, sizeof *m);
  snapshot_touch((uintptr_t)m->msg_name, m->msg_namelen);
  snapshot_touch((uintptr_t)m->msg_control, m->msg_controllen);
  touch_vector(m->msg_iov, m->msg_iovlen);
}

static void touch_messages(struct mmsghdr *m, size_t n)
{
  for (size_t i = 0; i < n && i < UIO_MAXIOV; i++) {
    snapshot_touch((uintptr_t)&m[i], sizeof m[i]);
    touch_message(&m[i].msg_hdr);
  }
}

static void touch_output(const struct call *c, const struct call_memory *m)
{
  uintptr_t at = (uintptr_t)c->arg[m->at];
  size_t by = (size_t)c->arg[m->by];
  struct range range;
  if (at < 4096)
    return;
  switch ((enum memory_size)m->how) {
  case MEMORY_VECTOR:
  case MEMORY_PAGES:
    touch_vector((const struct iovec *)at, by);
    break;
  case MEMORY_MESSAGE:
    touch_message((struct msghdr *)at);
    break;
  case MEMORY_MESSAGES:
    touch_messages((struct mmsghdr *)at, by);
    break;
  case MEMORY_REQUEST:
    snapshot_touch(at, m->unit);
    break;
  default:
    if (list_ranges(c, m, &range))
      snapshot_touch((uintptr_t)range.at, range.size);
  }
}

void touch_outputs(const struct call *c)
{
  const struct call_rule *rule = call_rule(c->number);
  for (unsigned i = 0; i < MEMORIES && rule; i++)
    if (!rule->memory[i].read)
      touch_output(c, &rule->memory[i]);
}

/* ---- steps ---- */

/* What the kernel writes to, it reads first. */
static bool reads_outputs(long number)
{
  static const short calls[] = {SYS_poll, SYS_ppoll, SYS_select, SYS_pselect6};
  return LISTED(number, calls);
}

/* Above where the thread stands now. */
static bool on_own_stack(const struct range *r)
{
  uintptr_t here = (uintptr_t)__builtin_frame_address(0), at = (uintptr_t)r->at;
  uintptr_t high = (uintptr_t)(self_index() ? self_thread()->fiber->stack_high : hd_own.main_sp);
  return at > here && at < high && r->size <= high - at;
}

static bool readable(const struct range *r)
{
  if (on_own_stack(r))
    return r->size;
  uintptr_t first = (uintptr_t)r->at & ~UINT64_C(7), last = ((uintptr_t)r->at + r->size - 1) & ~UINT64_C(7);
  return r->size && memory_is_readable(first) && memory_is_readable(last);
}

/* The memory itself, or a copy if others use it; they may still come to it while the call waits. */
static void *stand_in(struct transfer *t, const struct range *r, bool reads, bool writes, uintptr_t pc)
{
  bool met = memory_is_met(r->at, r->size, writes);
  if (reads && r->size)
    memory_range(r->at, r->size, OP_ATOMIC_LOAD, pc);
  if (!met && (rt.engine->threads == 1 || r->size > COPIED_UNMET || !readable(r)))
    return r->at;
  void *copy = t->parts < TRANSFER_PARTS ? room_for(r->size) : NULL;
  if (!copy) {
    if (met)
      lose(LOST_CALLS);
    return r->at;
  }
  copy_bytes(copy, r->at, r->size);
  t->part[t->parts++] = (struct transfer_part){r->at, copy, r->size};
  return copy;
}

static void redirect_vector(struct transfer *t, struct call *c, const struct call_memory *m, unsigned n)
{
  struct msghdr *message = (struct msghdr *)c->arg[m->at];
  if (m->how == MEMORY_VECTOR) {
    c->arg[m->at] = (long)t->vector;
    c->arg[m->by] = n;
    return;
  }
  t->of = message;
  t->header = *message;
  t->header.msg_iov = t->vector;
  t->header.msg_iovlen = n;
  c->arg[m->at] = (long)&t->header;
}

static void begin_one(struct transfer *t, struct call *c, const struct call_memory *m)
{
  bool reads = m->read || reads_outputs(c->number);
  struct range range[TRANSFER_PARTS];
  unsigned n = list_ranges(c, m, range), before = t->parts;
  bool vector = m->how == MEMORY_VECTOR || m->how == MEMORY_MESSAGE;
  void *at = NULL;
  for (unsigned i = 0; i < n; i++) {
    at = stand_in(t, &range[i], reads, !m->read, c->pc);
    if (vector)
      t->vector[i] = (struct iovec){at, range[i].size};
  }
  if (t->parts == before)
    return;
  if (vector)
    redirect_vector(t, c, m, n);
  else
    c->arg[m->at] = (long)at;
}

/* Buffers of libc's own are its own business: what its functions do with them is known by the functions. */
static bool is_direct(struct call *c)
{
  if (c->direct)
    return true;
  unsigned depth, most = c->number == SYS_newfstatat ? 3 : 1; /* stat() calls fstatat() */
  c->pc = place_of_call(c->pc, &depth);
  return depth <= most;
}

void transfer_begin(struct transfer *t, struct call *c)
{
  const struct call_rule *rule = call_rule(c->number);
  t->parts = 0;
  t->of = NULL;
  t->live = rule && rule->memory[0].how && is_direct(c);
  if (!t->live)
    return;
  for (unsigned i = 0; i < MEMORIES && rule->memory[i].how; i++)
    begin_one(t, c, &rule->memory[i]);
}

/* How much of that the kernel wrote. */
static size_t written(const struct call *c, const struct call_memory *m, size_t size, long result)
{
  size_t most = size;
  if (m->how == MEMORY_SIZED || m->how == MEMORY_VECTOR || m->how == MEMORY_MESSAGE)
    most = (size_t)result;
  else if (m->how == MEMORY_COUNTED && c->number != SYS_poll && c->number != SYS_ppoll)
    most = (size_t)result * m->unit;
  return most < size ? most : size;
}

/* The room of the last call that has some is free again. */
static void give_back(const struct transfer *t)
{
  for (unsigned i = t->parts; i-- > 0;) {
    size_t size = (t->part[i].size + 15) & ~(size_t)15, at = (size_t)((char *)t->part[i].copy - copies.room);
    if (at + size == copies.used)
      copies.used = at;
  }
}

static const void *copy_of(const struct transfer *t, const void *program)
{
  for (unsigned i = 0; i < t->parts; i++)
    if (t->part[i].program == program)
      return t->part[i].copy;
  return NULL;
}

static void end_one(struct transfer *t, const struct call *c, const struct call_memory *m, long result)
{
  struct range range[TRANSFER_PARTS];
  unsigned n = list_ranges(c, m, range);
  for (unsigned i = 0; i < n; i++) {
    size_t size = written(c, m, range[i].size, result);
    if (m->how == MEMORY_VECTOR || m->how == MEMORY_MESSAGE)
      result -= (long)size;
    if (size == 0)
      continue;
    const void *copy = copy_of(t, range[i].at);
    memory_range(range[i].at, size, OP_ATOMIC_STORE, c->pc);
    if (copy)
      copy_bytes(range[i].at, copy, size);
  }
}

void transfer_end(struct transfer *t, const struct call *original, long result)
{
  const struct call_rule *rule = call_rule(original->number);
  bool wrote = t->live && result >= 0;
  if (t->of && wrote) {
    t->of->msg_namelen = t->header.msg_namelen;
    t->of->msg_controllen = t->header.msg_controllen;
    t->of->msg_flags = t->header.msg_flags;
  }
  for (unsigned i = 0; i < MEMORIES && wrote && rule->memory[i].how; i++)
    if (!rule->memory[i].read)
      end_one(t, original, &rule->memory[i], result);
  give_back(t);
}
