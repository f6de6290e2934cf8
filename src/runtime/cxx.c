/* SPDX-License-Identifier: Apache-2.0
 *
 * What C++ needs beyond pthreads: the guards of function-local statics. std::thread, std::mutex and the rest of the
 * library come to us through pthreads and futexes.
 */
#include "runtime/once.h"
#include "runtime/runtime.h"

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
