/* SPDX-License-Identifier: Apache-2.0
 *
 * Steps on channels: what a call on descriptors touches, whether it can go on, and the turn for it.
 *
 * What an operation touches is said when it is announced, from what its numbers mean then. When they come to mean
 * something else while it is pending, it may concern anything (OP_FAR): more than it does, which is safe.
 */
#include "core/calls.h"
#include "core/key.h"
#include "core/system.h"
#include "core/without_libc.h"
#include "worlds/threads/kernel/kernel.h"
#include "worlds/threads/kernel/pipe.h"
#include "worlds/threads/kernel/polled.h"
#include "worlds/threads/kernel/ready_signals.h"
#include "worlds/threads/kernel/socket.h"
#include "worlds/threads/kernel/words.h"
#include "worlds/threads/memory/system_memory.h"
#include "worlds/threads/system/descriptors.h"
#include "worlds/threads/system/standard.h"
#include <errno.h>
#include <fcntl.h>

#define MEMBERS (1u << 17) /* of the sets that one thread waits for, nested ones included */

/* What a thread is about to do, for as long as its step lasts. */
struct pending {
  struct operation op;
  bool live;
  long fd;                 /* < 0: for any of a set */
  long other;              /* a second one, < 0: none */
  uint32_t changes, reads; /* of the system, whatever the descriptors are */
  unsigned events;
  uint16_t opens;                /* the description of a FIFO that is being opened; 0: none */
  const struct transfer_call *t; /* what it wants to write; NULL: nothing */
  uint32_t first, members;       /* of the set */
};

static struct {
  struct pending thread[MAX_THREADS];
  unsigned threads;              /* that took steps */
  uint32_t members[MAX_THREADS]; /* in use */
  struct polled *member;         /* MEMBERS for each thread */
  struct {
    struct transfer_call transfer;
    struct address to;
  } wanted[MAX_THREADS]; /* what is written, as others can see it */
} state SYSTEM;

void channel_steps_reset(void)
{
  for (unsigned t = 0; t < state.threads; t++) {
    state.thread[t].live = false;
    state.members[t] = 0;
  }
  state.threads = 0;
}

static struct polled *members_of(unsigned thread)
{
  if (!state.member)
    state.member = system_memory(sizeof *state.member * MEMBERS * MAX_THREADS);
  return state.member + (size_t)thread * MEMBERS;
}

/* ---- what it touches ---- */

void touch_channel(struct channel_touch *t, uint16_t channel, bool changes)
{
  unsigned i = 0;
  while (i < t->count && i < CHANNELS_TOUCHED && t->channel[i] != channel)
    i++;
  if (i == CHANNELS_TOUCHED) {
    t->count = CHANNELS_TOUCHED + 1; /* too many */
    return;
  }
  if (i == t->count)
    t->channel[t->count++] = channel;
  t->changes |= (uint8_t)(changes << i);
}

/* Who changes it changes what the sets that have it are ready for, and those that have these. */
void touch_watchers(struct channel_touch *t, uint16_t channel)
{
  const struct channel *c = channel_at(channel);
  for (unsigned i = 0; i < c->watchers; i++) {
    touch_channel(t, c->watcher[i], true);
    touch_watchers(t, c->watcher[i]);
  }
}

static void touch_description(struct channel_touch *t, const struct description *d, unsigned events, bool looks)
{
  struct channel_touch own = {0};
  rules_of(d)->touch(d, events, &own);
  for (unsigned i = 0; i < CHANNELS_TOUCHED && own.channel[i]; i++) {
    bool changes = own.changes >> i & 1 && !looks;
    touch_channel(t, own.channel[i], changes);
    if (changes)
      touch_watchers(t, own.channel[i]);
  }
  t->system_reads |= own.system_reads;
  t->system_changes |= looks ? 0 : own.system_changes;
  if (own.count > CHANNELS_TOUCHED)
    t->count = CHANNELS_TOUCHED + 1;
}

static void touch_number(struct channel_touch *t, long fd, unsigned events, bool looks)
{
  const struct description *d = description_of(fd);
  if (is_modelled(d))
    touch_description(t, d, events, looks);
  else
    t->system_reads |= SYSTEM_DESCRIPTORS;
}

/* Of a message to an address. */
static void touch_receiver(struct channel_touch *t, const struct pending *p)
{
  const struct description *d = description_of(p->fd);
  bool socket = is_modelled(d) && d->kind == CHANNEL_SOCKET;
  uint16_t to = !socket ? 0 : p->op.kind == OP_CHANNEL_CONNECT ? socket_listener(d, p->t) : socket_receiver(d, p->t);
  t->system_reads |= SYSTEM_NETWORK;
  if (!to)
    return;
  touch_channel(t, to, true);
  touch_watchers(t, to);
}

static void set_touched(struct operation *op, const struct channel_touch *t)
{
  if (ready_signals_wanted())
    op->traits |= OP_FAR | OP_SENDS;
  if (t->count > CHANNELS_TOUCHED) {
    struct channel_touch first = {.channel = {t->channel[0]}, .count = 1, .changes = 1};
    op_set_channels(op, &first);
    op->traits |= OP_FAR;
    return;
  }
  op_set_channels(op, t);
}

static void find_touched_here(const struct pending *p, unsigned thread, struct channel_touch *t)
{
  *t = (struct channel_touch){.system_changes = p->changes, .system_reads = p->reads};
  bool looks = p->op.kind == OP_CHANNEL_POLL || p->op.kind == OP_CHANNEL_TIMEDPOLL;
  if (p->opens)
    touch_description(t, description_at(p->opens), 0, false);
  if (p->fd >= 0)
    touch_number(t, p->fd, p->events, looks && !(p->events & POLL_TAKES));
  if (p->other >= 0)
    touch_number(t, p->other, p->events, false);
  if (p->t && p->t->to)
    touch_receiver(t, p);
  for (uint32_t i = 0; i < p->members; i++) {
    const struct polled *m = &members_of(thread)[p->first + i];
    touch_number(t, m->fd, (unsigned)m->events, true);
  }
}

static void find_touched(const struct pending *p, unsigned thread, struct channel_touch *t)
{
  numbers_of(rt.thread[thread].process);
  find_touched_here(p, thread, t);
  numbers_of_own();
}

/* ---- whether it can go on ---- */

unsigned descriptor_events(long fd, unsigned thread)
{
  const struct description *d = description_of(fd);
  return is_modelled(d) ? rules_of(d)->events(d, thread) : POLLNVAL;
}

static bool is_ready(const struct pending *p, unsigned thread)
{
  const struct description *d = description_of(p->fd);
  if (!is_modelled(d))
    return true; /* it fails, or is a file by now */
  unsigned events = rules_of(d)->events(d, thread);
  if (rules_of(d)->fails && rules_of(d)->fails(d, p->op.kind))
    return true;
  if (p->op.kind == OP_CHANNEL_CONNECT)
    return d->kind != CHANNEL_SOCKET || socket_can_connect(d, p->t);
  if (p->events & POLLOUT && rules_of(d)->takes)
    return !p->t || rules_of(d)->takes(d, p->t) || events & POLLERR;
  unsigned wanted = p->events & (POLLIN | POLLOUT);
  return events & (wanted | POLLERR | (wanted & POLLIN ? POLLHUP : 0));
}

static bool any_is_ready(const struct pending *p, unsigned thread)
{
  for (uint32_t i = 0; i < p->members; i++) {
    const struct polled *m = &members_of(thread)[p->first + i];
    if (polled_events(m, thread))
      return true;
  }
  return false;
}

bool channel_is_ready(unsigned thread)
{
  const struct pending *p = &state.thread[thread];
  if (p->op.kind == OP_CHANNEL_CALL)
    return true;
  if (p->opens)
    return fifo_has_partner(description_at(p->opens));
  numbers_of(rt.thread[thread].process);
  bool ready = p->fd >= 0 ? is_ready(p, thread) : any_is_ready(p, thread);
  numbers_of_own();
  return ready;
}

static bool does_not_block(const struct pending *p, unsigned thread)
{
  numbers_of(rt.thread[thread].process);
  const struct description *d = p->fd >= 0 ? description_of(p->fd) : NULL;
  numbers_of_own();
  return d && d->flags & O_NONBLOCK && !(p->events & POLL_TAKES);
}

static bool enabled(void *self, unsigned thread, const struct operation *op)
{
  (void)self, (void)op;
  return channel_is_ready(thread) || does_not_block(&state.thread[thread], thread) || cancel_wanted_in_call(thread);
}

/* A number for all that is known of it. */
static uint64_t version(void *self, const struct operation *op, uint64_t key)
{
  (void)self, (void)op;
  return channel_at((uint16_t)key_address(key))->version;
}

const struct object_model channel_model = {.enabled = enabled, .state = version};

/* ---- steps ---- */

/* Of what is to be written only the size, the address and the number that an event counter gets matter to others, who
 * cannot see this process's memory, or only slowly: each of many stacks is on pages of its own. */
static const struct transfer_call *keep_wanted(unsigned thread, const struct transfer_call *t)
{
  struct transfer_call *kept = &state.wanted[thread].transfer;
  struct address *to = &state.wanted[thread].to;
  *kept = *t;
  kept->kept = true;
  kept->first = 0;
  transfer_out(t, 0, &kept->first, sizeof kept->first);
  if (t->to && t->to_size <= sizeof to->room) {
    copy_bytes(&to->room, t->to, t->to_size);
    kept->to = &to->any;
  }
  return kept;
}

/* The operation, from now on what the thread is about to do. outer: of a handler's, what it came in between. */
static const struct operation *begin_step(const struct pending *wanted, struct pending *outer)
{
  unsigned me = self_index();
  struct pending *p = &state.thread[me];
  struct channel_touch touched;
  *outer = *p;
  *p = *wanted;
  p->t = p->t ? keep_wanted(me, p->t) : NULL;
  state.threads = me < state.threads ? state.threads : me + 1;
  find_touched(p, me, &touched);
  set_touched(&p->op, &touched);
  p->live = true;
  return &p->op;
}

static void take_turn(const struct pending *p)
{
  struct pending outer;
  step(begin_step(p, &outer));
  state.thread[self_index()] = outer;
}

static long step_taken(void)
{
  bool interrupted = self_thread()->interrupted;
  self_thread()->interrupted = false;
  return performed(interrupted ? -EINTR : 0);
}

static long take_step(const struct pending *p)
{
  check_cancel_in_call(p->op.pc);
  take_turn(p);
  check_cancel_in_call(p->op.pc);
  return step_taken();
}

/* What its number means is another thing afterwards. */
long step_to_open(enum op_kind kind, struct description *d, uintptr_t pc)
{
  const struct pending p = {
      .op = {.kind = kind, .pc = pc}, .fd = -1, .other = -1, .opens = description_id(d), .changes = SYSTEM_DESCRIPTORS};
  take_turn(&p);
  return step_taken();
}

long step_on_descriptor(enum op_kind kind, long fd, unsigned events, const struct transfer_call *t, uintptr_t pc)
{
  const struct pending p = {.op = {.kind = kind, .pc = pc}, .fd = fd, .other = -1, .events = events, .t = t};
  return take_step(&p);
}

long step_on_set(enum op_kind kind, const struct pollfd *set, size_t count, uintptr_t pc)
{
  unsigned me = self_index();
  uint32_t first = state.members[me];
  const struct pending p = {
      .op = {.kind = kind, .pc = pc}, .fd = -1, .other = -1, .first = first, .members = (uint32_t)count};
  if (count > MEMBERS - first)
    fail(pc, "the program waits for more than %u descriptors at once; heddle has no room for more", MEMBERS);
  for (size_t i = 0; i < count; i++)
    members_of(me)[first + i] = (struct polled){set[i].fd, set[i].events};
  state.members[me] = first + (uint32_t)count;
  long result = take_step(&p);
  state.members[me] = first;
  return result;
}

void step_to_change(const long *fds, unsigned count, uint32_t changes, uint32_t reads, uintptr_t pc)
{
  if (rt.engine->threads == 1)
    return;
  struct pending p = {.op = {.kind = OP_CHANNEL_CALL, .pc = pc},
                      .fd = count ? fds[0] : -1,
                      .other = count > 1 ? fds[1] : -1,
                      .events = POLLIN | POLLOUT,
                      .changes = changes,
                      .reads = reads};
  if (changes & SYSTEM_DESCRIPTORS && descriptors_have_room_at_standard())
    p.changes |= SYSTEM_STANDARD;
  take_turn(&p);
  performed(0);
}

/* ---- while it is pending ---- */

static bool is_pending(unsigned t)
{
  const struct thread_state *s = &rt.engine->thread[t];
  return t != rt.engine->current && s->alive && state.thread[t].live && op_is_on_channels(s->pending.kind);
}

void pending_refresh(void)
{
  for (unsigned t = 0; t < rt.engine->threads; t++) {
    if (!is_pending(t))
      continue;
    struct pending *p = &state.thread[t];
    struct operation now = p->op;
    struct channel_touch touched;
    find_touched(p, t, &touched);
    set_touched(&now, &touched);
    if (now.addr == p->op.addr && now.arg == p->op.arg && now.length == p->op.length && now.traits == p->op.traits)
      continue;
    p->op.traits |= OP_FAR | (now.traits & OP_SENDS);
    rt.engine->thread[t].pending.traits |= OP_FAR | (now.traits & OP_SENDS);
  }
}

void pending_describe(unsigned thread, struct channel_view *out)
{
  const struct pending *p = &state.thread[thread];
  *out = (struct channel_view){0};
  if (p->opens && p->op.kind != OP_CHANNEL_CALL) {
    describe_opening(description_at(p->opens), out);
    return;
  }
  if (p->op.kind == OP_CHANNEL_CALL) {
    const char *name = system_call_name(rt.thread[thread].call);
    if (p->fd >= 0)
      describe_descriptor(p->fd, rt.thread[thread].process, false, out);
    print_text(out->what, sizeof out->what, p->fd >= 0 ? "%s(%ld)" : "%s()", name ? name : "?", p->fd);
    return;
  }
  if (p->fd >= 0 || p->members == 1) {
    long fd = p->fd >= 0 ? p->fd : members_of(thread)[p->first].fd;
    bool writes = p->op.kind == OP_CHANNEL_SEND || p->op.kind == OP_CHANNEL_TIMEDSEND;
    describe_descriptor(fd, rt.thread[thread].process, writes, out);
    if (writes || p->op.kind == OP_CHANNEL_RECEIVE || p->op.kind == OP_CHANNEL_TIMEDRECEIVE)
      describe_transfer(fd, rt.thread[thread].process, writes, p->t, out);
    return;
  }
  size_t at = p->members ? print_text(out->what, sizeof out->what, "descriptors") : 0;
  for (uint32_t i = 0; i < p->members && at + 8 < sizeof out->what; i++)
    at += print_text(out->what + at, sizeof out->what - at, i ? ", %d" : " %d", members_of(thread)[p->first + i].fd);
}

bool pending_opens_to_outside(unsigned thread)
{
  uint16_t opens = state.thread[thread].opens;
  return opens && fifo_opens_to_outside(description_at(opens));
}

bool pending_any(unsigned thread, bool (*test)(int fd))
{
  const struct pending *p = &state.thread[thread];
  numbers_of(rt.thread[thread].process);
  bool found = p->fd >= 0 && test((int)p->fd);
  for (uint32_t i = 0; i < p->members && !found; i++)
    found = test(members_of(thread)[p->first + i].fd);
  numbers_of_own();
  return found;
}

bool somebody_is_stuck_at(long fd)
{
  for (unsigned t = 0; t < rt.engine->threads; t++) {
    const struct pending *p = &state.thread[t];
    if (rt.thread[t].process != hd_own.process || !is_pending(t) || channel_is_ready(t))
      continue;
    bool at_it = p->fd == fd;
    for (uint32_t i = 0; i < p->members; i++)
      at_it |= members_of(t)[p->first + i].fd == (int)fd;
    if (at_it)
      return true;
  }
  return false;
}
