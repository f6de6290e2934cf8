/* SPDX-License-Identifier: Apache-2.0
 *
 * What programs tell a race detector of themselves: the interface of the thread sanitizer (sanitizer/tsan_interface.h)
 * and the older dynamic annotations. A program compiled with -fsanitize=thread calls it, so it must be here.
 *
 * Two things are told. What happens before what: a release to the clock of an address, an acquire from it; so lock and
 * unlock of the program's own mutexes, switches of its own fibers. And where races are not to be looked for: around
 * such a mutex's inner workings, in some accesses, in some memory. What is ignored so is no race, but is scheduled as
 * ever. No annotation is a scheduling point.
 *
 * Before main, only memory whose races are benign is taken note of; without a session nothing is.
 */
#include "heddle.h"
#include "worlds/threads/memory/atomics.h"
#include "worlds/threads/runtime.h"

/* Much of what the program says is of no interest here. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

/* ---- happens-before ---- */

static struct object *clock_at(const volatile void *addr)
{
  return object_at((const void *)addr, OBJECT_NOTHING, NULL);
}

static void release_at(const volatile void *addr)
{
  if (hd_self)
    release_to(&clock_at(addr)->clock);
}

static void acquire_at(const volatile void *addr)
{
  if (hd_self)
    acquire_from(&clock_at(addr)->clock);
}

EXPORT void __tsan_acquire(void *addr)
{
  acquire_at(addr);
}

EXPORT void __tsan_release(void *addr)
{
  release_at(addr);
}

/* ---- accesses that are no race ---- */

static void ignore_all(int change)
{
  if (!hd_self)
    return;
  struct thread *t = self_thread();
  t->ignores_reads += change;
  t->ignores_writes += change;
  note_weak_stores(WEAK_EXCUSED);
}

EXPORT void __tsan_ignore_thread_begin(void)
{
  ignore_all(1);
}

EXPORT void __tsan_ignore_thread_end(void)
{
  ignore_all(-1);
}

/* ---- the program's own mutexes ---- */

enum {
  MUTEX_READ_LOCK = 1 << 3,
  MUTEX_TRY_LOCK_FAILED = 1 << 5,
  MUTEX_RECURSIVE_LOCK = 1 << 6,
  MUTEX_RECURSIVE_UNLOCK = 1 << 7
};

static void locked(const volatile void *mutex, bool reads)
{
  if (!hd_self)
    return;
  struct object *o = clock_at(mutex);
  acquire_from(&o->clock);
  if (!reads)
    acquire_from(&o->readers_clock);
}

static void unlocked(const volatile void *mutex, bool reads)
{
  if (!hd_self)
    return;
  struct object *o = clock_at(mutex);
  release_to(reads ? &o->readers_clock : &o->clock);
}

static void forget_mutex(const volatile void *mutex)
{
  if (hd_self)
    object_forget(clock_at(mutex));
}

EXPORT void __tsan_mutex_create(void *addr, unsigned flags)
{
  forget_mutex(addr);
}

EXPORT void __tsan_mutex_destroy(void *addr, unsigned flags)
{
  forget_mutex(addr);
}

EXPORT void __tsan_mutex_pre_lock(void *addr, unsigned flags)
{
  ignore_all(1);
}

EXPORT void __tsan_mutex_post_lock(void *addr, unsigned flags, int recursion)
{
  ignore_all(-1);
  if (!hd_self || flags & MUTEX_TRY_LOCK_FAILED)
    return;
  locked(addr, flags & MUTEX_READ_LOCK);
  if (!(flags & MUTEX_READ_LOCK))
    clock_at(addr)->count += flags & MUTEX_RECURSIVE_LOCK ? (uint32_t)recursion : 1;
}

/* Returns how often it was locked, as far as it is unlocked now. */
EXPORT int __tsan_mutex_pre_unlock(void *addr, unsigned flags)
{
  uint32_t times = 1;
  unlocked(addr, flags & MUTEX_READ_LOCK);
  ignore_all(1);
  if (!hd_self || flags & MUTEX_READ_LOCK)
    return 0;
  struct object *o = clock_at(addr);
  if (flags & MUTEX_RECURSIVE_UNLOCK || !o->count)
    times = o->count;
  o->count -= times;
  return (int)times;
}

EXPORT void __tsan_mutex_post_unlock(void *addr, unsigned flags)
{
  ignore_all(-1);
}

EXPORT void __tsan_mutex_pre_signal(void *addr, unsigned flags)
{
  ignore_all(1);
}

EXPORT void __tsan_mutex_post_signal(void *addr, unsigned flags)
{
  ignore_all(-1);
}

/* Inside of a mutex's own code, other code is called that is to be looked at. */
EXPORT void __tsan_mutex_pre_divert(void *addr, unsigned flags)
{
  ignore_all(-1);
}

EXPORT void __tsan_mutex_post_divert(void *addr, unsigned flags)
{
  ignore_all(1);
}

/* ---- the program's own fibers ---- */

/* A fiber may be left by one thread and gone on with by another: what it did before comes before what it does after.
 * That is all there is to say: two fibers of one thread are in its order anyway. Handles are addresses of nothing. */
static const char no_fiber[1], threads_own[MAX_THREADS];
static char fibers[1 << 20];

static const char *current_fiber(void)
{
  const struct thread *t = self_thread();
  return t->fiber_annotated ? t->fiber_annotated : &threads_own[self_index()];
}

EXPORT void *__tsan_get_current_fiber(void)
{
  return (void *)(hd_self ? current_fiber() : no_fiber);
}

EXPORT void *__tsan_create_fiber(unsigned flags)
{
  if (!hd_self)
    return (void *)no_fiber;
  struct object *numbers = clock_at(no_fiber);
  char *fiber = &fibers[numbers->count++ % sizeof fibers];
  release_at(fiber);
  return fiber;
}

EXPORT void __tsan_destroy_fiber(void *fiber)
{
  forget_mutex(fiber);
}

EXPORT void __tsan_switch_to_fiber(void *fiber, unsigned flags)
{
  if (!hd_self)
    return;
  release_at(current_fiber());
  acquire_at(fiber);
  self_thread()->fiber_annotated = fiber;
}

EXPORT void __tsan_set_fiber_name(void *fiber, const char *name)
{
}

/* ---- memory that another library keeps ---- */

EXPORT void *__tsan_external_register_tag(const char *object_type)
{
  return (void *)object_type;
}

EXPORT void __tsan_external_register_header(void *tag, const char *header)
{
}

EXPORT void __tsan_external_assign_tag(void *addr, void *tag)
{
}

EXPORT void __tsan_external_read(void *addr, void *caller_pc, void *tag)
{
  if (hd_self)
    memory_access(addr, 1, OP_READ, 0, (uintptr_t)caller_pc);
}

EXPORT void __tsan_external_write(void *addr, void *caller_pc, void *tag)
{
  if (hd_self)
    memory_access(addr, 1, OP_WRITE, 0, (uintptr_t)caller_pc);
}

/* ---- for the sanitizer's own affairs ---- */

EXPORT void __tsan_flush_memory(void)
{
}

EXPORT void __tsan_testonly_barrier_init(uint64_t *barrier, uint32_t count)
{
}

EXPORT void __tsan_testonly_barrier_wait(uint64_t *barrier)
{
}

EXPORT unsigned long __tsan_testonly_shadow_stack_current_size(void)
{
  return 0;
}

/* ---- dynamic annotations ---- */

/* All begin with the place of the annotation in the source. */
#define ANNOTATION(name, ...) EXPORT void name(const char *file, int line, ##__VA_ARGS__)

#define RELEASES(name)                                                                                                 \
  ANNOTATION(name, const volatile void *addr)                                                                          \
  {                                                                                                                    \
    release_at(addr);                                                                                                  \
  }
#define ACQUIRES(name)                                                                                                 \
  ANNOTATION(name, const volatile void *addr)                                                                          \
  {                                                                                                                    \
    acquire_at(addr);                                                                                                  \
  }
#define FORGETS(name)                                                                                                  \
  ANNOTATION(name, const volatile void *addr)                                                                          \
  {                                                                                                                    \
    forget_mutex(addr);                                                                                                \
  }

RELEASES(AnnotateHappensBefore)
ACQUIRES(AnnotateHappensAfter)
RELEASES(WTFAnnotateHappensBefore)
ACQUIRES(WTFAnnotateHappensAfter)
RELEASES(AnnotateCondVarSignal)
RELEASES(AnnotateCondVarSignalAll)
RELEASES(AnnotatePCQPut)
ACQUIRES(AnnotatePCQGet)
FORGETS(AnnotatePCQCreate)
FORGETS(AnnotatePCQDestroy)
FORGETS(AnnotateRWLockCreate)
FORGETS(AnnotateRWLockDestroy)

ANNOTATION(AnnotateCondVarWait, const volatile void *cond, const volatile void *lock)
{
  acquire_at(cond);
}

ANNOTATION(AnnotateRWLockCreateStatic, const volatile void *lock)
{
}

ANNOTATION(AnnotateRWLockAcquired, const volatile void *lock, long writes)
{
  locked(lock, !writes);
}

ANNOTATION(AnnotateRWLockReleased, const volatile void *lock, long writes)
{
  unlocked(lock, !writes);
}

#define IGNORES(name, counter, change)                                                                                 \
  ANNOTATION(name)                                                                                                     \
  {                                                                                                                    \
    if (hd_self)                                                                                                       \
      self_thread()->counter += (change);                                                                              \
    if (hd_self)                                                                                                       \
      note_weak_stores(WEAK_EXCUSED);                                                                                  \
  }

IGNORES(AnnotateIgnoreReadsBegin, ignores_reads, 1)
IGNORES(AnnotateIgnoreReadsEnd, ignores_reads, -1)
IGNORES(AnnotateIgnoreWritesBegin, ignores_writes, 1)
IGNORES(AnnotateIgnoreWritesEnd, ignores_writes, -1)

/* ---- races that the program says are benign ---- */

#define BENIGN_MOST 4096

static struct range {
  uintptr_t from, to;
} benign_range[BENIGN_MOST];
static uint32_t benign_count;
static int64_t benign_before_main = -1; /* of these; -1: main has not begun */

void annotations_reset(void)
{
  if (benign_before_main < 0)
    benign_before_main = benign_count;
  benign_count = (uint32_t)benign_before_main;
}

bool race_is_benign(const struct operation *op)
{
  for (uint32_t i = 0; i < benign_count; i++)
    if (op->addr < benign_range[i].to && benign_range[i].from < op->addr + op->length)
      return true;
  return false;
}

static void benign(const volatile void *mem, size_t size)
{
  if (rt.control && size)
    note_weak_stores(WEAK_EXCUSED);
  if (rt.control && benign_count < BENIGN_MOST)
    benign_range[benign_count++] = (struct range){(uintptr_t)mem, (uintptr_t)mem + size};
}

/* HD_BENIGN and HD_BENIGN_RACE of heddle.h. Every file that includes it says the same of its module. */
EXPORT void hd__benign(const volatile char *from, const volatile char *to)
{
  for (uint32_t i = 0; i < benign_count; i++)
    if (benign_range[i].from == (uintptr_t)from && benign_range[i].to == (uintptr_t)to)
      return;
  benign(from, (size_t)(to - from));
}

/* HD_UNSEEN. */
EXPORT void hd__left_out(const char *from, const char *to)
{
  if (rt.control && from < to)
    lose(LOST_LEFT_OUT);
}

ANNOTATION(AnnotateBenignRaceSized, const volatile void *mem, long size, const char *description)
{
  benign(mem, (size_t)size);
}

ANNOTATION(WTFAnnotateBenignRaceSized, const volatile void *mem, long size, const char *description)
{
  benign(mem, (size_t)size);
}

ANNOTATION(AnnotateBenignRace, const volatile void *mem, const char *description)
{
  benign(mem, 1);
}

ANNOTATION(AnnotateExpectRace, const volatile void *mem, const char *description)
{
  benign(mem, 1);
}

ANNOTATION(AnnotateNewMemory, const volatile void *mem, unsigned long size)
{
  if (hd_self)
    memory_renew((uintptr_t)mem, size);
}

ANNOTATION(AnnotateThreadName, const char *name)
{
  if (hd_self)
    pthread_setname_np(pthread_self(), name);
}

/* What orders nothing and silences nothing. Synchronisation is never ignored: it is really there. */
#define SAYS_NOTHING(name, ...)                                                                                        \
  ANNOTATION(name, ##__VA_ARGS__)                                                                                      \
  {                                                                                                                    \
  }

SAYS_NOTHING(AnnotateIgnoreSyncBegin)
SAYS_NOTHING(AnnotateIgnoreSyncEnd)
SAYS_NOTHING(AnnotateFlushState)
SAYS_NOTHING(AnnotateFlushExpectedRaces)

SAYS_NOTHING(AnnotateEnableRaceDetection, int enable)
SAYS_NOTHING(AnnotateMutexIsUsedAsCondVar, const volatile void *mutex)
SAYS_NOTHING(AnnotateMutexIsNotPHB, const volatile void *mutex)
SAYS_NOTHING(AnnotateTraceMemory, const volatile void *mem)
SAYS_NOTHING(AnnotatePublishMemoryRange, const volatile void *mem, unsigned long size)
SAYS_NOTHING(AnnotateUnpublishMemoryRange, const volatile void *mem, unsigned long size)
SAYS_NOTHING(AnnotateMemoryIsInitialized, const volatile void *mem, unsigned long size)
SAYS_NOTHING(AnnotateMemoryIsUninitialized, const volatile void *mem, unsigned long size)
SAYS_NOTHING(AnnotateNoOp, const volatile void *arg)

EXPORT int RunningOnValgrind(void)
{
  return 0;
}

EXPORT double ValgrindSlowdown(void)
{
  return 1;
}

EXPORT const char *ThreadSanitizerQuery(const char *query)
{
  return "0";
}
