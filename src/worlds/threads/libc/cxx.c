/* SPDX-License-Identifier: Apache-2.0
 *
 * What C++ needs beyond pthreads: the guards of function-local statics, operator new and delete. std::thread,
 * std::mutex and the rest of the library come to us through pthreads and futexes.
 */
#include "worlds/threads/memory/heap.h"
#include "worlds/threads/model/once.h"
#include "worlds/threads/runtime.h"
#include "worlds/threads/system/unsafe_calls.h"

int __cxa_guard_acquire(uint64_t *guard);
void __cxa_guard_release(uint64_t *guard);
void __cxa_guard_abort(uint64_t *guard);

/* The first byte is what the program itself looks at before it calls: set when done. */
static volatile unsigned char *flag_of(uint64_t *guard)
{
  return (volatile unsigned char *)guard;
}

EXPORT int __cxa_guard_acquire(uint64_t *guard)
{
  if (!hd_self)
    return REAL(__cxa_guard_acquire)(guard);
  return once_enter(guard, *flag_of(guard), CALLER());
}

EXPORT void __cxa_guard_release(uint64_t *guard)
{
  if (!hd_self) {
    REAL(__cxa_guard_release)(guard);
    return;
  }
  once_done(guard, CALLER());
  if (rt.control->config.record_events) /* the compiler's own look at the guard is to be seen in the trace, too */
    memory_access(flag_of(guard), 1, OP_ATOMIC_STORE, __ATOMIC_RELEASE, CALLER());
  *flag_of(guard) = 1;
  release_to(&object_at(guard, OBJECT_MEMORY, NULL)->clock);
}

EXPORT void __cxa_guard_abort(uint64_t *guard)
{
  if (hd_self)
    once_undone(guard);
  else
    REAL(__cxa_guard_abort)(guard);
}

/* ---- operator new and delete, so that a block is known by the place in the program that asked for it ---- */

/* Out of memory: libstdc++'s own calls the new handler, then throws or returns NULL, each as it should. */
#define NEW(name, align, parameters, arguments)                                                                        \
  void *name parameters;                                                                                               \
  EXPORT void *name parameters                                                                                         \
  {                                                                                                                    \
    unsafe_call(UNSAFE_HEAP, 0, "operator new", CALLER());                                                             \
    void *p = malloc_is_ours() ? heap_allocate(size, align, false, CALLER()) : NULL;                                   \
    return p ? p : REAL(name) arguments;                                                                               \
  }

NEW(_Znwm, 16, (size_t size), (size))
NEW(_Znam, 16, (size_t size), (size))
NEW(_ZnwmSt11align_val_t, alignment, (size_t size, size_t alignment), (size, alignment))
NEW(_ZnamSt11align_val_t, alignment, (size_t size, size_t alignment), (size, alignment))
NEW(_ZnwmRKSt9nothrow_t, 16, (size_t size, const void *tag), (size, tag))
NEW(_ZnamRKSt9nothrow_t, 16, (size_t size, const void *tag), (size, tag))

/* Sizes and alignments are of no use to us, and libstdc++'s own deletes all come down to free(). */
#define DELETE(name)                                                                                                   \
  void name(void *p);                                                                                                  \
  EXPORT void name(void *p)                                                                                            \
  {                                                                                                                    \
    malloc_free(p, CALLER());                                                                                          \
  }

DELETE(_ZdlPv)
DELETE(_ZdaPv)
DELETE(_ZdlPvm)
DELETE(_ZdaPvm)
DELETE(_ZdlPvSt11align_val_t)
DELETE(_ZdaPvSt11align_val_t)
DELETE(_ZdlPvmSt11align_val_t)
DELETE(_ZdaPvmSt11align_val_t)
DELETE(_ZdlPvRKSt9nothrow_t)
DELETE(_ZdaPvRKSt9nothrow_t)
