/* SPDX-License-Identifier: Apache-2.0
 *
 * Queues of messages in the runtime's own memory: what POSIX and System V queues have in common. A message is bytes
 * with a number, its priority or its type. A thread that stands before sending or receiving may be waiting for that
 * already or not; that matters only to who wants to be told of a message that arrives, and then it is a choice.
 */
#include "worlds/threads/model/message_queue.h"
#include "core/key.h"
#include "core/without_libc.h"
#include "worlds/threads/memory/system_memory.h"
#include "worlds/threads/model/changes.h"
#include "worlds/threads/system/punctual.h"
#include "worlds/threads/system/time.h"
#include <errno.h>

#define MESSAGES 2048
#define BLOCKS 65536
#define BLOCK_BYTES 60

static struct queue queues[QUEUES] SYSTEM;
static uint32_t queues_made SYSTEM;

static struct queued {
  uint32_t next;  /* in its queue, or free, + 1 */
  uint32_t block; /* first one, + 1 */
  uint32_t size;
  uint16_t to; /* thread that waited for it, + 1; 0: anybody */
  int64_t type;
  struct vclock clock; /* what the sender knew */
} messages[MESSAGES] SYSTEM;
static uint32_t messages_made SYSTEM, messages_free SYSTEM;

static struct block {
  uint32_t next;
  char bytes[BLOCK_BYTES];
} blocks[BLOCKS] SYSTEM;
static uint32_t blocks_made SYSTEM, blocks_free SYSTEM;

enum { CHANGE_PUT, CHANGE_HAND, CHANGE_TAKE, CHANGE_MOST, CHANGE_ROOM, CHANGE_REMOVE };

void queues_reset(void)
{
  for (uint32_t i = 0; i < queues_made; i++)
    queues[i].used = false;
  queues_made = messages_made = messages_free = blocks_made = blocks_free = 0;
}

const struct queue *queue_at(uintptr_t addr)
{
  uintptr_t at = addr - (uintptr_t)queues;
  return at < sizeof queues ? &queues[at / sizeof *queues] : NULL;
}

static struct object *object_of_queue(const void *q)
{
  return object_at(q, OBJECT_QUEUE, NULL);
}

static void note(struct queue *q, unsigned what, unsigned index, int64_t value)
{
  q->state = change_noted(object_of_queue(q)->id, what, index, value);
  engine_touch(rt.engine);
}

/* ---- messages ---- */

static uint32_t new_block(void)
{
  uint32_t b = blocks_free;
  if (b)
    blocks_free = blocks[b - 1].next;
  else if (blocks_made < BLOCKS)
    b = ++blocks_made;
  else
    fail(0, "the program has more than %u KiB in its message queues", BLOCKS * BLOCK_BYTES / 1024);
  blocks[b - 1].next = 0;
  return b;
}

static uint32_t new_message(int64_t type, const char *data, size_t size)
{
  uint32_t m = messages_free;
  if (m)
    messages_free = messages[m - 1].next;
  else if (messages_made < MESSAGES)
    m = ++messages_made;
  else
    fail(0, "the program has more than %u messages in its message queues", MESSAGES);
  struct queued *message = &messages[m - 1];
  message->next = message->block = 0;
  message->size = (uint32_t)size;
  message->to = 0;
  message->type = type;
  uint32_t *link = &message->block;
  for (size_t at = 0; at < size; at += BLOCK_BYTES) {
    *link = new_block();
    copy_bytes(blocks[*link - 1].bytes, data + at, size - at < BLOCK_BYTES ? size - at : BLOCK_BYTES);
    link = &blocks[*link - 1].next;
  }
  return m;
}

int64_t message_type(uint32_t m)
{
  return messages[m - 1].type;
}

size_t message_size(uint32_t m)
{
  return messages[m - 1].size;
}

void message_copy(uint32_t m, void *to, size_t most)
{
  size_t size = messages[m - 1].size < most ? messages[m - 1].size : most;
  uint32_t b = messages[m - 1].block;
  for (size_t at = 0; at < size; at += BLOCK_BYTES, b = blocks[b - 1].next)
    copy_bytes((char *)to + at, blocks[b - 1].bytes, size - at < BLOCK_BYTES ? size - at : BLOCK_BYTES);
}

void message_free(uint32_t m)
{
  for (uint32_t b = messages[m - 1].block, next; b; b = next) {
    next = blocks[b - 1].next;
    blocks[b - 1].next = blocks_free;
    blocks_free = b;
  }
  messages[m - 1].next = messages_free;
  messages_free = m;
}

/* ---- queues ---- */

static struct queue *unused(void)
{
  if (queues_made < QUEUES)
    return &queues[queues_made++];
  for (struct queue *q = queues; q < queues + QUEUES; q++)
    if (!q->used)
      return q;
  return NULL;
}

struct queue *queue_new(const char *name, uint32_t most, uint64_t room)
{
  struct queue *q = unused();
  if (!q)
    return NULL;
  *q = (struct queue){.used = true, .id = -1};
  print_text(q->name, sizeof q->name, "%s", name);
  queue_resize(q, most, room);
  return q;
}

void queue_resize(struct queue *q, uint32_t most, uint64_t room)
{
  q->most = most;
  q->room = room;
  note(q, CHANGE_MOST, 0, most);
  note(q, CHANGE_ROOM, 0, (int64_t)room);
}

static void empty(struct queue *q)
{
  for (uint32_t m = q->first, next; m; m = next) {
    next = messages[m - 1].next;
    message_free(m);
  }
  q->first = q->count = 0;
  q->bytes = 0;
}

/* The thread stands before sending to it or receiving from it. */
static bool is_on(const struct queue *q, unsigned t)
{
  const struct thread_state *thread = &rt.engine->thread[t];
  return t != self_index() && thread->alive && thread->pending.addr == (uintptr_t)q &&
         op_table[thread->pending.kind].object == OBJECT_QUEUE && !op_only_looks(thread->pending.kind) &&
         thread->pending.kind != OP_QUEUE_CHANGE;
}

void queue_remove(struct queue *q)
{
  for (unsigned t = 0; t < rt.engine->threads; t++)
    if (is_on(q, t) && !queue_ready(t, &rt.engine->thread[t].pending))
      threadset_add(&q->waited, t);
  empty(q);
  q->removed = true;
  note(q, CHANGE_REMOVE, 0, 0);
}

void queue_free(struct queue *q)
{
  empty(q);
  q->used = false;
}

struct queue *queue_by_id(int id)
{
  for (struct queue *q = queues; q < queues + queues_made; q++)
    if (q->id == id)
      return q;
  return NULL;
}

static bool fits(const struct queue *q, uint64_t size)
{
  return q->count < q->most && size <= q->room && q->bytes <= q->room - size;
}

static bool is_wanted(int64_t type, int64_t wanted, bool except)
{
  if (wanted > 0)
    return (type == wanted) != except;
  return wanted == 0 || type <= -wanted;
}

/* Of those up to a negative type, the lowest type comes first. */
uint32_t queue_find(const struct queue *q, int64_t wanted, bool except, unsigned thread)
{
  uint32_t found = 0;
  for (uint32_t m = q->first; m; m = messages[m - 1].next) {
    const struct queued *message = &messages[m - 1];
    if (message->to == thread + 1)
      return m;
    bool better = !found || (wanted < 0 && message->type < messages[found - 1].type);
    if (!message->to && better && is_wanted(message->type, wanted, except))
      found = m;
  }
  return found;
}

static void link_in(struct queue *q, uint32_t m)
{
  uint32_t *link = &q->first;
  while (*link && !(q->sorted && messages[*link - 1].type < messages[m - 1].type))
    link = &messages[*link - 1].next;
  messages[m - 1].next = *link;
  *link = m;
}

static void unlink_from(struct queue *q, uint32_t m)
{
  unsigned index = 0;
  uint32_t *link = &q->first;
  for (; *link != m; index++)
    link = &messages[*link - 1].next;
  *link = messages[m - 1].next;
  note(q, CHANGE_TAKE, index, 0);
}

/* ---- what was possible before ---- */

static struct earlier {
  bool removed;
  uint32_t listed, count;
  uint64_t bytes, most, room;
  struct {
    int64_t type;
    uint32_t size;
    uint16_t to;
  } at[MESSAGES];
} earlier SYSTEM;

static void put_earlier(struct earlier *s, bool sorted, int64_t type, uint32_t size, uint16_t to)
{
  uint32_t i = 0;
  while (i < s->listed && !(sorted && s->at[i].type < type))
    i++;
  for (uint32_t k = s->listed++; k > i; k--)
    s->at[k] = s->at[k - 1];
  s->at[i].type = type;
  s->at[i].size = size;
  s->at[i].to = to;
  s->count += !to;
  s->bytes += to ? 0 : size;
}

static void take_earlier(struct earlier *s, uint32_t i)
{
  s->count -= !s->at[i].to;
  s->bytes -= s->at[i].to ? 0 : s->at[i].size;
  for (s->listed--; i < s->listed; i++)
    s->at[i] = s->at[i + 1];
}

static const struct earlier *earlier_state(const struct queue *q, uint32_t object, uint64_t state)
{
  struct earlier *s = &earlier;
  s->removed = false;
  s->listed = s->count = 0;
  s->bytes = s->most = s->room = 0;
  for (uint64_t n = 1; n <= state; n++) {
    const struct change *c = change_at(n);
    if (c->object != object)
      continue;
    switch (c->what) {
    case CHANGE_PUT:
      put_earlier(s, q->sorted, c->value, c->index, 0);
      break;
    case CHANGE_HAND:
      put_earlier(s, q->sorted, c->value, 0, c->index);
      break;
    case CHANGE_TAKE:
      take_earlier(s, c->index);
      break;
    case CHANGE_MOST:
      s->most = (uint64_t)c->value;
      break;
    case CHANGE_ROOM:
      s->room = (uint64_t)c->value;
      break;
    default:
      s->removed = true;
    }
  }
  return s;
}

/* ---- the rules ---- */

/* In op->length. */
#define OP_NO_RESTART 1 /* handlers end it, whatever they say */
#define OP_EXCEPT 2     /* any but of that type */
#define OP_GONE 4       /* it fails at once */

static bool sends(const struct operation *op)
{
  return op->kind == OP_QUEUE_SEND || op->kind == OP_QUEUE_TRYSEND || op->kind == OP_QUEUE_TIMEDSEND;
}

bool queue_ready(unsigned thread, const struct operation *op)
{
  const struct queue *q = queue_at(op->addr);
  if (q->removed || op->length & OP_GONE)
    return true;
  return sends(op) ? fits(q, op->arg) : queue_find(q, (int64_t)op->arg, op->length & OP_EXCEPT, thread);
}

static bool enabled(void *self, unsigned thread, const struct operation *op)
{
  (void)self;
  return queue_ready(thread, op) || cancel_wanted(thread);
}

static uint64_t state_of(void *self, const struct operation *op, uint64_t key)
{
  (void)self, (void)op;
  const struct queue *q = queue_at(key_address(key));
  return q ? q->state : 0;
}

static bool possible(void *self, unsigned thread, const struct operation *op, uint64_t state)
{
  (void)self;
  const struct earlier *s = earlier_state(queue_at(op->addr), op->object, state);
  if (s->removed || op->length & OP_GONE)
    return true;
  if (sends(op))
    return s->count < s->most && op->arg <= s->room && s->bytes <= s->room - op->arg;
  for (uint32_t i = 0; i < s->listed; i++)
    if (s->at[i].to == thread + 1 ||
        (!s->at[i].to && is_wanted(s->at[i].type, (int64_t)op->arg, op->length & OP_EXCEPT)))
      return true;
  return false;
}

const struct object_model queue_model = {.enabled = enabled, .state = state_of, .possible = possible};

/* ---- steps ---- */

void queue_step(enum op_kind kind, const void *queue, bool far, uintptr_t pc)
{
  struct object *o = object_of_queue(queue);
  struct operation op = {.kind = kind, .object = o->id, .addr = o->addr, .traits = far ? OP_FAR : 0, .pc = pc};
  step(&op);
  performed(0);
}

/* Waits for the turn to send or receive; 0: there is room, or a message. */
static int wait_for(struct queue *q, struct operation *op, const struct queue_wait *how)
{
  check_cancel(how->pc);
  if (how->deadline >= 0)
    ends_at(how->deadline);
  op->object = object_of_queue(q)->id;
  op->addr = (uintptr_t)q;
  op->length |= (how->restarts ? 0 : OP_NO_RESTART) | (how->gone ? OP_GONE : 0);
  op->pc = how->pc;
  step(op);
  bool interrupted = self_thread()->interrupted;
  self_thread()->interrupted = false;
  if (unlikely(interrupted))
    return EINTR;
  if (!how->try)
    check_cancel(how->pc);
  enum wait_end end = WAIT_GOES_ON;
  while (!queue_ready(self_index(), op)) {
    if (how->try)
      return EAGAIN;
    if (end == WAIT_IS_OVER || end == WAIT_INTERRUPTED)
      return end == WAIT_IS_OVER ? ETIMEDOUT : EINTR;
    end = time_goes_on(how->deadline);
  }
  if (how->gone)
    return how->gone;
  bool waited = q->removed && threadset_has(&q->waited, self_index());
  return waited && engine_choose(rt.engine, 2) == 0 ? EIDRM : q->removed ? EINVAL : 0;
}

/* To one that waits: which of them is a choice. */
static unsigned chosen(const struct threadset *set)
{
  unsigned nth = threadset_count(set) > 1 ? engine_choose(rt.engine, threadset_count(set)) : 0;
  unsigned t = threadset_next(set, 0);
  while (nth--)
    t = threadset_next(set, t + 1);
  return t;
}

static void put(struct queue *q, uint32_t m)
{
  struct queued *message = &messages[m - 1];
  vclock_clear(&message->clock);
  acquire_from(&q->taken);
  release_to(&message->clock);
  link_in(q, m);
  if (q->announced && !q->count && !threadset_empty(&q->standing)) {
    unsigned t = chosen(&q->standing);
    threadset_remove(&q->standing, t);
    message->to = (uint16_t)(t + 1);
    note(q, CHANGE_HAND, t + 1, message->type);
    return;
  }
  q->count++;
  q->bytes += message->size;
  note(q, CHANGE_PUT, message->size < UINT16_MAX ? message->size : UINT16_MAX, message->type);
}

int queue_send(struct queue *q, int64_t type, const void *data, size_t size, const struct queue_wait *how,
               bool *arrived)
{
  struct operation op = {.kind = how->try             ? OP_QUEUE_TRYSEND
                                 : how->deadline >= 0 ? OP_QUEUE_TIMEDSEND
                                                      : OP_QUEUE_SEND,
                         .traits = q->announced ? OP_FAR : 0,
                         .arg = size};
  int error = wait_for(q, &op, how);
  *arrived = false;
  if (error)
    return performed(error);
  uint32_t before = q->count;
  put(q, new_message(type, data, size));
  *arrived = !before && q->count;
  return performed(0);
}

static uint32_t take(struct queue *q, uint32_t m)
{
  struct queued *message = &messages[m - 1];
  unlink_from(q, m);
  q->count -= !message->to;
  q->bytes -= message->to ? 0 : message->size;
  acquire_from(&message->clock);
  release_to(&q->taken);
  return m;
}

uint32_t queue_receive(struct queue *q, int64_t type, bool except, size_t most, const struct queue_wait *how,
                       int *error)
{
  unsigned me = self_index();
  struct operation op = {.kind = how->try             ? OP_QUEUE_TRYRECEIVE
                                 : how->deadline >= 0 ? OP_QUEUE_TIMEDRECEIVE
                                                      : OP_QUEUE_RECEIVE,
                         .length = except ? OP_EXCEPT : 0,
                         .arg = (uint64_t)type};
  if (q->announced && !how->try) {
    queue_step(OP_QUEUE_CHANGE, q, false, how->pc);
    if (!queue_find(q, type, except, me))
      threadset_add(&q->standing, me);
  }
  *error = wait_for(q, &op, how);
  threadset_remove(&q->standing, me);
  uint32_t m = *error ? 0 : queue_find(q, type, except, me);
  if (m && message_size(m) > most) {
    *error = E2BIG;
    m = 0;
  }
  performed(*error);
  return m ? take(q, m) : 0;
}

/* ---- being told ---- */

void queue_announce(struct queue *q, bool wanted)
{
  q->announced = wanted;
  if (!wanted) {
    q->standing = (struct threadset){{0}};
    return;
  }
  for (unsigned t = 0; t < rt.engine->threads; t++) {
    struct operation *op = &rt.engine->thread[t].pending;
    if (is_on(q, t) && sends(op))
      op->traits |= OP_FAR;
    bool receives = is_on(q, t) && (op->kind == OP_QUEUE_RECEIVE || op->kind == OP_QUEUE_TIMEDRECEIVE);
    if (receives && !queue_ready(t, op) && (has_begun_to_wait(t) || engine_choose(rt.engine, 2) == 0))
      threadset_add(&q->standing, t);
  }
}
