/* SPDX-License-Identifier: Apache-2.0
 *
 * Operations: what a thread can be about to do.
 *
 * The list below is the single source for every operation's name, the kind of object it acts on, whether it can
 * block, and the words used to tell of it. Printers, JSON, the schedule file and the dependence relation are made
 * from it. Which two operations commute is not here but in dependence.c.
 *
 * Invariant: a thread announces an operation before it performs it, and performs it only after the engine chose that
 * thread. Between two announcements a thread runs alone.
 */
#ifndef HEDDLE_CORE_OPERATION_H
#define HEDDLE_CORE_OPERATION_H

#include <stdbool.h>
#include <stdint.h>

/*  X(constant, name in files, object kind, can block, phrase for a story) */
#define HD_OPERATIONS(X)                                                                                               \
  X(NONE, "none", NOTHING, false, "does nothing")                                                                      \
  X(START, "start", THREAD, false, "starts")                                                                           \
  X(EXIT, "exit", THREAD, false, "ends")                                                                               \
  X(END, "end", NOTHING, false, "ends the program")                                                                    \
  X(CREATE, "create", THREAD, false, "creates")                                                                        \
  X(JOIN, "join", THREAD, true, "joins")                                                                               \
  X(TIMEDJOIN, "timedjoin", THREAD, false, "tries to join")                                                            \
  X(DETACH, "detach", THREAD, false, "detaches")                                                                       \
  X(CANCEL, "cancel", THREAD, false, "cancels")                                                                        \
  X(READ, "read", MEMORY, false, "reads")                                                                              \
  X(WRITE, "write", MEMORY, false, "writes")                                                                           \
  X(ATOMIC_LOAD, "atomic-load", MEMORY, false, "atomically reads")                                                     \
  X(ATOMIC_STORE, "atomic-store", MEMORY, false, "atomically writes")                                                  \
  X(ATOMIC_RMW, "atomic-rmw", MEMORY, false, "atomically updates")                                                     \
  X(FREE, "free", MEMORY, false, "frees")                                                                              \
  X(FENCE, "fence", NOTHING, false, "issues a fence")                                                                  \
  X(MUTEX_INIT, "mutex-init", MUTEX, false, "initialises")                                                             \
  X(MUTEX_DESTROY, "mutex-destroy", MUTEX, false, "destroys")                                                          \
  X(MUTEX_LOCK, "mutex-lock", MUTEX, true, "locks")                                                                    \
  X(MUTEX_TRYLOCK, "mutex-trylock", MUTEX, false, "tries to lock")                                                     \
  X(MUTEX_TIMEDLOCK, "mutex-timedlock", MUTEX, false, "locks, with a timeout,")                                        \
  X(MUTEX_UNLOCK, "mutex-unlock", MUTEX, false, "unlocks")                                                             \
  X(SPIN_INIT, "spin-init", SPIN, false, "initialises")                                                                \
  X(SPIN_DESTROY, "spin-destroy", SPIN, false, "destroys")                                                             \
  X(SPIN_LOCK, "spin-lock", SPIN, true, "locks")                                                                       \
  X(SPIN_TRYLOCK, "spin-trylock", SPIN, false, "tries to lock")                                                        \
  X(SPIN_UNLOCK, "spin-unlock", SPIN, false, "unlocks")                                                                \
  X(COND_INIT, "cond-init", COND, false, "initialises")                                                                \
  X(COND_DESTROY, "cond-destroy", COND, true, "destroys")                                                              \
  X(COND_WAIT, "cond-wait", COND, false, "waits on")                                                                   \
  X(COND_WAKE, "cond-wake", COND, true, "wakes from")                                                                  \
  X(COND_TIMEDWAKE, "cond-timedwake", COND, true, "wakes or times out from")                                           \
  X(COND_SIGNAL, "cond-signal", COND, false, "signals")                                                                \
  X(COND_BROADCAST, "cond-broadcast", COND, false, "broadcasts")                                                       \
  X(RWLOCK_INIT, "rwlock-init", RWLOCK, false, "initialises")                                                          \
  X(RWLOCK_DESTROY, "rwlock-destroy", RWLOCK, false, "destroys")                                                       \
  X(RWLOCK_RDLOCK, "rwlock-rdlock", RWLOCK, true, "locks for reading")                                                 \
  X(RWLOCK_TRYRDLOCK, "rwlock-tryrdlock", RWLOCK, false, "tries to lock for reading")                                  \
  X(RWLOCK_TIMEDRDLOCK, "rwlock-timedrdlock", RWLOCK, false, "locks for reading, with a timeout,")                     \
  X(RWLOCK_WRLOCK, "rwlock-wrlock", RWLOCK, true, "locks for writing")                                                 \
  X(RWLOCK_TRYWRLOCK, "rwlock-trywrlock", RWLOCK, false, "tries to lock for writing")                                  \
  X(RWLOCK_TIMEDWRLOCK, "rwlock-timedwrlock", RWLOCK, false, "locks for writing, with a timeout,")                     \
  X(RWLOCK_UNLOCK, "rwlock-unlock", RWLOCK, false, "unlocks")                                                          \
  X(SEM_INIT, "sem-init", SEM, false, "initialises")                                                                   \
  X(SEM_DESTROY, "sem-destroy", SEM, false, "destroys")                                                                \
  X(SEM_WAIT, "sem-wait", SEM, true, "waits for")                                                                      \
  X(SEM_TRYWAIT, "sem-trywait", SEM, false, "tries to take")                                                           \
  X(SEM_TIMEDWAIT, "sem-timedwait", SEM, false, "waits, with a timeout, for")                                          \
  X(SEM_POST, "sem-post", SEM, false, "posts")                                                                         \
  X(SEM_GETVALUE, "sem-getvalue", SEM, false, "reads the value of")                                                    \
  X(BARRIER_INIT, "barrier-init", BARRIER, false, "initialises")                                                       \
  X(BARRIER_DESTROY, "barrier-destroy", BARRIER, true, "destroys")                                                     \
  X(BARRIER_ARRIVE, "barrier-arrive", BARRIER, false, "arrives at")                                                    \
  X(BARRIER_LEAVE, "barrier-leave", BARRIER, true, "leaves")                                                           \
  X(ONCE_ENTER, "once-enter", ONCE, true, "enters once")                                                               \
  X(ONCE_DONE, "once-done", ONCE, false, "finishes once")                                                              \
  X(FUTEX_WAIT, "futex-wait", FUTEX, false, "checks futex")                                                            \
  X(FUTEX_BLOCK, "futex-block", FUTEX, true, "sleeps on futex")                                                        \
  X(FUTEX_TIMEDBLOCK, "futex-timedblock", FUTEX, false, "sleeps, with a timeout, on futex")                            \
  X(FUTEX_WAKE, "futex-wake", FUTEX, false, "wakes futex")                                                             \
  X(SYSTEM, "system-call", NOTHING, false, "calls")                                                                    \
  X(FD_WAIT, "fd-wait", FD, true, "waits for descriptor")                                                              \
  X(FD_TIMEDWAIT, "fd-timedwait", FD, false, "waits, with a timeout, for descriptor")                                  \
  X(CHANNEL_RECEIVE, "channel-receive", CHANNEL, true, "reads from")                                                   \
  X(CHANNEL_TIMEDRECEIVE, "channel-timedreceive", CHANNEL, false, "reads, if it can, from")                            \
  X(CHANNEL_SEND, "channel-send", CHANNEL, true, "writes to")                                                          \
  X(CHANNEL_TIMEDSEND, "channel-timedsend", CHANNEL, false, "writes, if it can, to")                                   \
  X(CHANNEL_ACCEPT, "channel-accept", CHANNEL, true, "accepts a connection from")                                      \
  X(CHANNEL_TIMEDACCEPT, "channel-timedaccept", CHANNEL, false, "accepts, if it can, a connection from")               \
  X(CHANNEL_CONNECT, "channel-connect", CHANNEL, true, "connects")                                                     \
  X(CHANNEL_POLL, "channel-poll", CHANNEL, true, "waits for")                                                          \
  X(CHANNEL_TIMEDPOLL, "channel-timedpoll", CHANNEL, false, "looks, or waits with a timeout, for")                     \
  X(CHANNEL_CALL, "channel-call", CHANNEL, false, "calls")                                                             \
  X(SIGNAL_SEND, "signal-send", THREAD, false, "sends")                                                                \
  X(EXPIRE, "expire", NOTHING, true, "lets a timer expire")                                                            \
  X(PAUSE, "pause", NOTHING, false, "is about to wait for a signal")                                                   \
  X(SIGNAL_WAIT, "signal-wait", NOTHING, true, "waits for a signal")                                                   \
  X(SIGNAL_TIMEDWAIT, "signal-timedwait", NOTHING, false, "waits, with a timeout, for a signal")                       \
  X(SLEEP, "sleep", NOTHING, false, "sleeps")                                                                          \
  X(YIELD, "yield", NOTHING, false, "yields")                                                                          \
  X(CHOOSE, "choose", NOTHING, false, "chooses")                                                                       \
  X(EVENT, "event", NOTHING, false, "reaches event")                                                                   \
  X(PREDICATE, "predicate", PREDICATE, false, "evaluates")                                                             \
  X(COND_GUARD_WAIT, "cond-guard-wait", COND, false, "may wait on")                                                    \
  X(COND_GUARD_SIGNAL, "cond-guard-signal", COND, false, "may signal")                                                 \
  X(COND_GUARD_BROADCAST, "cond-guard-broadcast", COND, false, "may broadcast")                                        \
  X(GUARD_END, "guard-end", NOTHING, false, "goes on after")                                                           \
  X(CALL, "call", NOTHING, false, "calls")                                                                             \
  X(TESTCANCEL, "testcancel", NOTHING, false, "looks whether it is cancelled")                                         \
  X(PROCESS_END, "process-end", NOTHING, false, "ends its process")                                                    \
  X(PROCESS_WAIT, "process-wait", PROCESS, true, "waits for a child to end")                                           \
  X(PROCESS_POLL, "process-poll", PROCESS, false, "looks whether a child has ended")                                   \
  X(PROCESS_LEND, "process-lend", PROCESS, true, "waits until its child runs a program")                               \
  X(PROCESS_STOP, "process-stop", NOTHING, false, "stops")                                                             \
  X(PROCESS_GO_ON, "process-go-on", PROCESS, true, "is stopped")                                                       \
  X(QUEUE_OPEN, "queue-open", QUEUE, false, "opens")                                                                   \
  X(QUEUE_CHANGE, "queue-change", QUEUE, false, "changes")                                                             \
  X(QUEUE_LOOK, "queue-look", QUEUE, false, "looks at")                                                                \
  X(QUEUE_SEND, "queue-send", QUEUE, true, "sends a message to")                                                       \
  X(QUEUE_TRYSEND, "queue-trysend", QUEUE, false, "tries to send a message to")                                        \
  X(QUEUE_TIMEDSEND, "queue-timedsend", QUEUE, false, "sends, with a timeout, a message to")                           \
  X(QUEUE_RECEIVE, "queue-receive", QUEUE, true, "receives a message from")                                            \
  X(QUEUE_TRYRECEIVE, "queue-tryreceive", QUEUE, false, "tries to receive a message from")                             \
  X(QUEUE_TIMEDRECEIVE, "queue-timedreceive", QUEUE, false, "receives, with a timeout, a message from")                \
  X(SEMSET_OPEN, "semset-open", SEMSET, false, "opens semaphore")                                                      \
  X(SEMSET_CHANGE, "semset-change", SEMSET, false, "changes semaphore")                                                \
  X(SEMSET_LOOK, "semset-look", SEMSET, false, "looks at semaphore")                                                   \
  X(SEMSET_OPERATE, "semset-operate", SEMSET, true, "operates on semaphore")                                           \
  X(SEMSET_TRYOPERATE, "semset-tryoperate", SEMSET, false, "tries to operate on semaphore")                            \
  X(SEMSET_TIMEDOPERATE, "semset-timedoperate", SEMSET, false, "operates, with a timeout, on semaphore")               \
  X(AIO_SUBMIT, "aio-submit", AIO, false, "submits an asynchronous request")                                           \
  X(AIO_BEGIN, "aio-begin", AIO, true, "begins with an asynchronous request")                                          \
  X(AIO_END, "aio-end", AIO, false, "completes an asynchronous request")                                               \
  X(AIO_LOOK, "aio-look", AIO, false, "looks at an asynchronous request")                                              \
  X(AIO_CHANGE, "aio-change", AIO, false, "cancels asynchronous requests")                                             \
  X(AIO_WAIT, "aio-wait", AIO, true, "waits for asynchronous requests")                                                \
  X(AIO_TIMEDWAIT, "aio-timedwait", AIO, false, "waits, with a timeout, for asynchronous requests")                    \
  X(PROPERTY, "property", NOTHING, false, "reaches event")

enum op_kind {
#define X(id, name, object, blocks, phrase) OP_##id,
  HD_OPERATIONS(X)
#undef X
      OP_COUNT
};

#define HD_OBJECT_KINDS(X)                                                                                             \
  X(NOTHING, "nothing")                                                                                                \
  X(THREAD, "thread")                                                                                                  \
  X(MEMORY, "memory")                                                                                                  \
  X(MUTEX, "mutex")                                                                                                    \
  X(SPIN, "spin lock")                                                                                                 \
  X(COND, "condition variable")                                                                                        \
  X(RWLOCK, "read-write lock")                                                                                         \
  X(SEM, "semaphore")                                                                                                  \
  X(BARRIER, "barrier")                                                                                                \
  X(ONCE, "once")                                                                                                      \
  X(FUTEX, "futex")                                                                                                    \
  X(FD, "descriptor")                                                                                                  \
  X(CHANNEL, "channel")                                                                                                \
  X(PREDICATE, "predicate")                                                                                            \
  X(PROCESS, "process")                                                                                                \
  X(QUEUE, "message queue")                                                                                            \
  X(SEMSET, "semaphore set")                                                                                           \
  X(AIO, "asynchronous request")

enum object_kind {
#define X(id, name) OBJECT_##id,
  HD_OBJECT_KINDS(X)
#undef X
      OBJECT_KIND_COUNT
};

/* What dependence must know of an operation beside its kind and objects. */
enum {
  OP_ON_HEAP = 1,     /* its object lies in memory that can be freed */
  OP_SPURIOUS = 2,    /* a wake-up that needs no signal */
  OP_FAR = 4,         /* it may concern any thread or object */
  OP_BEYOND = 8,      /* what it does is not wholly covered by the relation: a search with it is not complete */
  OP_MAKES = 16,      /* its object is new, whatever was at that address before */
  OP_PRIVATE = 32,    /* memory that only one thread uses; a step for strategies with private_steps alone */
  OP_CANCELLED = 64,  /* its thread was cancelled while it stands before it */
  OP_WEARY = 128,     /* private memory: its thread ran long without a step, so that others should go first */
  OP_SIGNALLED = 256, /* a signal came for its thread while it stands before it: its handler can run in any case */
  OP_PATIENT = 512,   /* a sleep or a timeout that ends only when its time has come */
  OP_FAILED = 1024,   /* a load that was announced as a compare-and-swap: it failed */
  OP_COMPARES = 2048, /* a compare-and-swap of up to eight bytes, arg is what it looks for; in searches only */
  OP_SENDS = 4096     /* it may send a signal besides */
};

#define OP_TRAITS 0x1fff

/* A read-modify-write within one word of memory that nobody can tell from another of its kind: what was there before is
 * used by nobody, and it tells nobody what its thread did before. In searches only. */
enum update { UPDATE_NONE, UPDATE_ADD, UPDATE_AND, UPDATE_OR, UPDATE_XOR };

struct operation {
  uint8_t kind;       /* enum op_kind */
  uint8_t space;      /* where its object or memory lies: enum space, footprint.h */
  uint16_t order : 3, /* memory order of an atomic operation, __ATOMIC_* */
      traits : 13;    /* OP_ON_HEAP and the like */
  uint32_t length;    /* bytes of a memory operation; of OP_SYSTEM, the number of the call; of OP_PROPERTY:
                         PROPERTY_EVENT; on channels: channel.h */
  uint32_t object;    /* the object acted on: an index unique in one execution, 0 for none and for memory */
  uint32_t second;    /* a second object (the mutex of a condition wait), or 0; of OP_ATOMIC_RMW: enum update */
  uintptr_t addr;     /* the address the program knows the object by; of OP_SYSTEM, what it changes (system.h) */
  uint64_t arg; /* operation-specific: thread joined, value posted, number of choices; of OP_SYSTEM, what it reads; of
                   an update, by how much */
  uintptr_t pc; /* return address into the program's code */
};

/* The length of OP_SIGNAL_SEND: to whom, a thread or the process of which it is the first, and perhaps other processes
 * besides. Its argument is the signal. */
#define SENT_TO(thread, process, others) ((uint32_t)(thread) << 2 | (uint32_t)(others) << 1 | (process))
#define SENT_TO_THREAD(length) ((length) >> 2)
#define SENT_TO_OTHERS(length) ((length) >> 1 & 1)
#define SENT_TO_PROCESS(length) ((length)&1)

/* The length of OP_PROPERTY: the rule by which it is an event, the property, and which parameters of that its address
 * and its argument are the values of, from 1 on; 0: of none (property.h). */
#define PROPERTY_EVENT(rule, property, first, second)                                                                  \
  ((uint32_t)(rule) | (uint32_t)(property) << 16 | (uint32_t)(first) << 24 | (uint32_t)(second) << 28)
#define PROPERTY_EVENT_RULE(length) ((length)&0xffff)
#define PROPERTY_EVENT_OF(length) ((length) >> 16 & 0xff)
#define PROPERTY_EVENT_FIRST(length) ((length) >> 24 & 0xf)
#define PROPERTY_EVENT_SECOND(length) ((length) >> 28)

/* Whether events of that kind, with these values of parameters, may be read by one monitor: by none if a parameter has
 * different values in them. */
static inline bool property_events_meet(uint32_t a, const uint64_t value_a[2], uint32_t b, const uint64_t value_b[2])
{
  const uint32_t of_a[] = {PROPERTY_EVENT_FIRST(a), PROPERTY_EVENT_SECOND(a)};
  const uint32_t of_b[] = {PROPERTY_EVENT_FIRST(b), PROPERTY_EVENT_SECOND(b)};
  if (PROPERTY_EVENT_OF(a) != PROPERTY_EVENT_OF(b))
    return false;
  for (unsigned i = 0; i < 2; i++)
    for (unsigned k = 0; k < 2; k++)
      if (of_a[i] && of_a[i] == of_b[k] && value_a[i] != value_b[k])
        return false;
  return true;
}

/* The argument of OP_PROCESS_END, if it is not just the end: another program goes on there, or who waits may see it. */
enum { END_BY_EXEC = 1, END_IS_SEEN = 2 };

struct op_info {
  const char *name;
  enum object_kind object;
  bool blocks;
  const char *phrase;
};

extern const struct op_info op_table[OP_COUNT];
extern const char *const object_kind_name[OBJECT_KIND_COUNT];

/* The operation of that name, or OP_COUNT. */
enum op_kind op_by_name(const char *name);

static inline bool op_is_memory(enum op_kind kind)
{
  return kind >= OP_READ && kind <= OP_FREE;
}

/* Those that read or write it. */
static inline bool op_is_access(enum op_kind kind)
{
  return kind >= OP_READ && kind <= OP_ATOMIC_RMW;
}

/* Accesses, and the end of a process, after which there may be another program's memory. */
static inline bool op_concerns_memory(enum op_kind kind)
{
  return op_is_memory(kind) || kind == OP_PROCESS_END;
}

static inline bool op_writes_memory(enum op_kind kind)
{
  return kind == OP_WRITE || kind == OP_ATOMIC_STORE || kind == OP_ATOMIC_RMW || kind == OP_FREE;
}

static inline bool op_is_atomic(enum op_kind kind)
{
  return kind >= OP_ATOMIC_LOAD && kind <= OP_ATOMIC_RMW;
}

/* Operations whose address is one of memory, and means something only in its space. */
static inline bool op_has_address(enum op_kind kind)
{
  enum object_kind object = op_table[kind].object;
  return (object >= OBJECT_MEMORY && object <= OBJECT_FUTEX) || object == OBJECT_PREDICATE || kind == OP_CALL;
}

/* Operations on what threads talk to each other through: pipes, sockets, event counters and the like (channel.h). */
static inline bool op_is_on_channels(enum op_kind kind)
{
  return kind >= OP_CHANNEL_RECEIVE && kind <= OP_CHANNEL_CALL;
}

/* Which of the eight bytes from there the access touches: a set of bits. */
static inline unsigned op_bytes_in(const struct operation *op, uintptr_t granule)
{
  uintptr_t from = op->addr > granule ? op->addr - granule : 0;
  uintptr_t end = op->addr + op->length;
  uintptr_t to = end < granule + 8 ? end - granule : 8;
  return (1u << to) - (1u << from);
}

/* Operations that leave their object as it is. */
static inline bool op_only_looks(enum op_kind kind)
{
  return kind == OP_READ || kind == OP_ATOMIC_LOAD || kind == OP_SEM_GETVALUE || kind == OP_QUEUE_LOOK ||
         kind == OP_SEMSET_LOOK || kind == OP_AIO_LOOK;
}

/* A compare-and-swap that fails is a load; whether it does is known only when it was performed. */
static inline void op_settle_swap(struct operation *op, bool failed)
{
  if (op->kind != OP_ATOMIC_RMW && !(op->traits & OP_FAILED))
    return;
  op->kind = failed ? OP_ATOMIC_LOAD : OP_ATOMIC_RMW;
  op->traits = failed ? op->traits | OP_FAILED : op->traits & ~OP_FAILED & OP_TRAITS;
}

static inline enum op_kind op_announced_kind(const struct operation *op)
{
  return op->traits & OP_FAILED ? OP_ATOMIC_RMW : (enum op_kind)op->kind;
}

/* Operations that take a lock, if they succeed: for good or in passing, for reading or for writing. */
static inline bool op_takes_lock(enum op_kind kind)
{
  switch (kind) {
  case OP_MUTEX_LOCK:
  case OP_MUTEX_TRYLOCK:
  case OP_MUTEX_TIMEDLOCK:
  case OP_SPIN_LOCK:
  case OP_SPIN_TRYLOCK:
  case OP_RWLOCK_RDLOCK:
  case OP_RWLOCK_TRYRDLOCK:
  case OP_RWLOCK_TIMEDRDLOCK:
  case OP_RWLOCK_WRLOCK:
  case OP_RWLOCK_TRYWRLOCK:
  case OP_RWLOCK_TIMEDWRLOCK:
    return true;
  default:
    return false;
  }
}

/* Those of them that let others in who do the same. */
static inline bool op_shares_lock(enum op_kind kind)
{
  return kind == OP_RWLOCK_RDLOCK || kind == OP_RWLOCK_TRYRDLOCK || kind == OP_RWLOCK_TIMEDRDLOCK;
}

static inline bool op_leaves_lock(enum op_kind kind)
{
  return kind == OP_MUTEX_UNLOCK || kind == OP_SPIN_UNLOCK || kind == OP_RWLOCK_UNLOCK;
}

/* Operations in which a thread stands that waits for others and can be cancelled anywhere: then it need not wait. */
static inline bool op_is_lock_wait(enum op_kind kind)
{
  switch (kind) {
  case OP_MUTEX_LOCK:
  case OP_SPIN_LOCK:
  case OP_RWLOCK_RDLOCK:
  case OP_RWLOCK_WRLOCK:
  case OP_BARRIER_LEAVE:
  case OP_ONCE_ENTER:
    return true;
  default:
    return false;
  }
}

/* Operations that wait for what only the system knows: descriptors, signals, timers, the time. */
static inline bool op_waits_for_system(const struct operation *op)
{
  return op->kind == OP_FD_WAIT || op->kind == OP_SIGNAL_WAIT || op->kind == OP_EXPIRE || op->kind == OP_PROCESS_WAIT ||
         op->kind == OP_PROCESS_LEND || op->kind == OP_PROCESS_GO_ON || op->traits & OP_PATIENT ||
         (op_is_on_channels(op->kind) && op_table[op->kind].blocks);
}

/* Functions that make an object of synchronisation, and those that end one. */
static inline bool op_initialises(enum op_kind kind)
{
  switch (kind) {
  case OP_MUTEX_INIT:
  case OP_SPIN_INIT:
  case OP_COND_INIT:
  case OP_RWLOCK_INIT:
  case OP_SEM_INIT:
  case OP_BARRIER_INIT:
    return true;
  default:
    return false;
  }
}

static inline bool op_destroys(enum op_kind kind)
{
  switch (kind) {
  case OP_MUTEX_DESTROY:
  case OP_SPIN_DESTROY:
  case OP_COND_DESTROY:
  case OP_RWLOCK_DESTROY:
  case OP_SEM_DESTROY:
  case OP_BARRIER_DESTROY:
    return true;
  default:
    return false;
  }
}

/* Operations that make their object: whatever was at its address before was another one. */
static inline bool op_makes_object(const struct operation *op)
{
  return op_initialises((enum op_kind)op->kind) || op->traits & OP_MAKES;
}

/* Operations by which a thread lets time pass: others should go first, or loops around them would never end. */
static inline bool op_gives_way(enum op_kind kind)
{
  switch (kind) {
  case OP_YIELD:
  case OP_TESTCANCEL:
  case OP_SLEEP:
  case OP_TIMEDJOIN:
  case OP_MUTEX_TIMEDLOCK:
  case OP_COND_TIMEDWAKE:
  case OP_RWLOCK_TIMEDRDLOCK:
  case OP_RWLOCK_TIMEDWRLOCK:
  case OP_SEM_TIMEDWAIT:
  case OP_FUTEX_TIMEDBLOCK:
  case OP_FD_TIMEDWAIT:
  case OP_CHANNEL_TIMEDRECEIVE:
  case OP_CHANNEL_TIMEDSEND:
  case OP_CHANNEL_TIMEDACCEPT:
  case OP_CHANNEL_TIMEDPOLL:
  case OP_SIGNAL_TIMEDWAIT:
  case OP_PROCESS_POLL:
  case OP_QUEUE_TIMEDSEND:
  case OP_QUEUE_TIMEDRECEIVE:
  case OP_SEMSET_TIMEDOPERATE:
  case OP_AIO_TIMEDWAIT:
    return true;
  default:
    return false;
  }
}

/* Those of them that have a time by which they end. */
static inline bool op_is_timed(enum op_kind kind)
{
  return op_gives_way(kind) && kind != OP_YIELD && kind != OP_TESTCANCEL;
}

/* Operations of any kind that say so let others go first, too. */
static inline bool op_lets_others(const struct operation *op)
{
  return op_gives_way(op->kind) || op->traits & OP_WEARY;
}

/* A step that only lets others go first, after another one: a thread that does nothing else waits for them. */
static inline bool op_idles_on(enum op_kind before, enum op_kind kind)
{
  return (before == OP_YIELD || before == OP_TESTCANCEL) && (kind == OP_YIELD || kind == OP_TESTCANCEL);
}

/* Operations that wait, but may go on without what they wait for: by themselves, or since their thread is cancelled. */
static inline bool op_needs_nobody(const struct operation *op)
{
  if (op->kind == OP_COND_WAKE)
    return op->traits & (OP_SPURIOUS | OP_CANCELLED);
  return op->traits & OP_CANCELLED && (op->kind == OP_JOIN || op->kind == OP_SEM_WAIT || op->kind == OP_QUEUE_SEND ||
                                       op->kind == OP_QUEUE_RECEIVE || op->kind == OP_AIO_WAIT);
}

/* Operations that may concern anything: signals, cancellation, descriptors. They depend on all others; with the
 * end of the program, on what can be told from its absence: those who know which do without the rest
 * (explore/order.c). */
static inline bool op_is_global(const struct operation *op)
{
  switch (op->kind) {
  case OP_END:
  case OP_CANCEL:
  case OP_SIGNAL_SEND:
  case OP_EXPIRE:
  case OP_PAUSE:
  case OP_SIGNAL_WAIT:
  case OP_SIGNAL_TIMEDWAIT:
  case OP_FD_WAIT:
  case OP_FD_TIMEDWAIT:
  case OP_PROCESS_END:
  case OP_PROCESS_WAIT:
  case OP_PROCESS_POLL:
  case OP_PROCESS_LEND:
  case OP_PROCESS_STOP:
  case OP_PROCESS_GO_ON:
    return true;
  default:
    return op->traits & OP_FAR;
  }
}

/* Operations that send signals: who gets one may be anywhere between two steps. */
static inline bool op_signals(const struct operation *op)
{
  enum object_kind object = (enum object_kind)op_table[op->kind].object;
  return op->kind == OP_SIGNAL_SEND || op->kind == OP_EXPIRE || op->traits & OP_SENDS ||
         (op->traits & OP_FAR && (object == OBJECT_QUEUE || object == OBJECT_AIO));
}

/* What a program only says about its conditions (heddle.h): recorded, without effect. */
static inline bool op_is_annotation(enum op_kind kind)
{
  return kind >= OP_PREDICATE && kind <= OP_GUARD_END;
}

/* Operations that no other thread can tell from their absence, unless it waits for them or polls them: the order of
 * the others says all about them. */
static inline bool op_is_invisible(enum op_kind kind)
{
  switch (kind) {
  case OP_NONE:
  case OP_START:
  case OP_EXIT:
  case OP_JOIN:
  case OP_FENCE:
  case OP_YIELD:
  case OP_EVENT:
  case OP_TESTCANCEL:
    return true;
  default:
    return op_is_annotation(kind);
  }
}

/* Whether the order of the two matters (dependence.c). Symmetric; both must come from different threads. */
bool op_dependent(const struct operation *a, const struct operation *b);

/* Classes of operations on one object, or on the same bytes, whose members commute with each other. */
enum commuting {
  COMMUTING_NONE,
  COMMUTING_LOOKS,
  COMMUTING_READS,
  COMMUTING_POSTS,
  COMMUTING_SIGNALS,
  COMMUTING_LEAVES,
  COMMUTING_ENDS,
  COMMUTING_UPDATES
};
enum commuting op_commuting(const struct operation *op);
/* Whether two on the same object, or in the same word, are of one class. */
bool op_of_one_class(const struct operation *a, const struct operation *b);
/* The same if one of them is a cancellation, and the threads are known: it concerns one thread only. */
bool op_cancel_dependent(unsigned s, const struct operation *a, unsigned t, const struct operation *b);

/* The same for steps of threads s and t. */
static inline bool op_steps_dependent(unsigned s, const struct operation *a, unsigned t, const struct operation *b)
{
  bool cancels = a->kind == OP_CANCEL || b->kind == OP_CANCEL;
  return cancels ? op_cancel_dependent(s, a, t, b) : op_dependent(a, b);
}

#endif
