/* SPDX-License-Identifier: Apache-2.0
 *
 * Leaving a thread early: pthread_exit and cancellation. The stack is unwound as glibc does it, so that cleanup
 * handlers of C (registered buffers) and of C++ (destructors) run. A cancelled thread notices at cancellation points,
 * and at any step if its type is asynchronous.
 */
#include "worlds/threads/process/watch.h"
#include "worlds/threads/runtime.h"
#include "worlds/threads/system/punctual.h"
#include "worlds/threads/system/signals.h"
#include "worlds/threads/thread/thread.h"
#include <errno.h>
#include <unwind.h>

/* A registered buffer holds the part of a jmp_buf without the signal mask. */
_Noreturn void jump_to(void *buffer, int value) __asm__("longjmp");

static struct _Unwind_Exception exception[MAX_THREADS];
static void *exit_value[MAX_THREADS];
/* pthread_cleanup_push in C makes a buffer on the stack and registers it; innermost first, chained by __pad[0]. */
static __pthread_unwind_buf_t *cleanup_of[MAX_THREADS];
static struct vclock cancelled_by[MAX_THREADS]; /* who cancelled it did all of that before it ends */

/* Libc has a list of its own, of what is to be called for its frames: a stream is unlocked there. That list begins in
 * its description of the thread, where only these two get at. */
void _pthread_cleanup_push(struct _pthread_cleanup_buffer *buffer, void (*routine)(void *), void *arg);
void _pthread_cleanup_pop(struct _pthread_cleanup_buffer *buffer, int execute);

/* Of those frames that are left at this address; NULL: none is left to call. */
static struct _pthread_cleanup_buffer *take_cleanup_of_libc(uintptr_t cfa)
{
  struct _pthread_cleanup_buffer mine;
  _pthread_cleanup_push(&mine, NULL, NULL);
  struct _pthread_cleanup_buffer *first = mine.__prev;
  bool left = first && (uintptr_t)first < cfa;
  mine.__prev = left ? first->__prev : first;
  _pthread_cleanup_pop(&mine, 0);
  return left ? first : NULL;
}

static _Unwind_Reason_Code on_frame(int version, _Unwind_Action actions, _Unwind_Exception_Class class,
                                    struct _Unwind_Exception *object, struct _Unwind_Context *context, void *arg)
{
  (void)version, (void)class, (void)object, (void)arg;
  unsigned me = self_index();
  uintptr_t cfa = _Unwind_GetCFA(context);
  __pthread_unwind_buf_t *buffer = cleanup_of[me];
  struct _pthread_cleanup_buffer *of_libc;
  bool at_end = actions & _UA_END_OF_STACK;
  while ((of_libc = take_cleanup_of_libc(at_end && !buffer ? UINTPTR_MAX : cfa)))
    of_libc->__routine(of_libc->__arg);
  if (buffer && (at_end || (uintptr_t)buffer < cfa)) {
    cleanup_of[me] = buffer->__pad[0];
    jump_to(buffer->__cancel_jmp_buf, 1);
  }
  if (at_end)
    thread_end(exit_value[me]);
  return _URC_NO_REASON;
}

/* A handler of C++ ended without throwing it on. */
static void not_rethrown(_Unwind_Reason_Code reason, struct _Unwind_Exception *object)
{
  (void)reason, (void)object;
  bug_here(BUG_CRASH, 0, place_in_program(0), "the end of a thread was caught and not thrown on: abort (SIGABRT)");
}

static _Noreturn void unwind(void)
{
  unsigned me = self_index();
  watch_unwinds();
  exception[me] = (struct _Unwind_Exception){.exception_cleanup = not_rethrown};
  _Unwind_ForcedUnwind(&exception[me], on_frame, NULL);
  thread_end(exit_value[me]); /* nothing to unwind through: code without tables */
}

void thread_exit(void *result)
{
  exit_value[self_index()] = result;
  self_thread()->cancel_disabled = true;
  has_ended_wait(self_thread());
  unwind();
}

void cancel_reset_thread(unsigned t)
{
  cleanup_of[t] = NULL;
  vclock_clear(&cancelled_by[t]);
}

void cancel_copy_thread(unsigned t, unsigned of)
{
  cleanup_of[t] = cleanup_of[of];
}

EXPORT void pthread_exit(void *result)
{
  if (!hd_self)
    REAL(pthread_exit)(result);
  thread_exit(result);
}

/* ---- cleanup buffers of C code ---- */

EXPORT void __pthread_register_cancel(__pthread_unwind_buf_t *buffer)
{
  if (!hd_self) {
    REAL(__pthread_register_cancel)(buffer);
    return;
  }
  buffer->__pad[0] = cleanup_of[self_index()];
  cleanup_of[self_index()] = buffer;
}

EXPORT void __pthread_unregister_cancel(__pthread_unwind_buf_t *buffer)
{
  if (!hd_self) {
    REAL(__pthread_unregister_cancel)(buffer);
    return;
  }
  cleanup_of[self_index()] = buffer->__pad[0];
}

/* The same with deferred cancellation in between; the type of before is kept in the buffer. */
void __pthread_register_cancel_defer(__pthread_unwind_buf_t *buffer);
void __pthread_unregister_cancel_restore(__pthread_unwind_buf_t *buffer);

EXPORT void __pthread_register_cancel_defer(__pthread_unwind_buf_t *buffer)
{
  if (!hd_self) {
    REAL(__pthread_register_cancel_defer)(buffer);
    return;
  }
  __pthread_register_cancel(buffer);
  buffer->__pad[1] = (void *)(uintptr_t)self_thread()->cancel_async;
  self_thread()->cancel_async = false;
}

EXPORT void __pthread_unregister_cancel_restore(__pthread_unwind_buf_t *buffer)
{
  if (!hd_self) {
    REAL(__pthread_unregister_cancel_restore)(buffer);
    return;
  }
  __pthread_unregister_cancel(buffer);
  self_thread()->cancel_async = buffer->__pad[1];
  check_async_cancel();
}

EXPORT void __pthread_unwind_next(__pthread_unwind_buf_t *buffer)
{
  if (!hd_self)
    REAL(__pthread_unwind_next)(buffer);
  unwind();
}

/* ---- cancellation ---- */

bool cancel_wanted(unsigned t)
{
  return rt.thread[t].cancel_pending && !rt.thread[t].cancel_disabled;
}

void check_cancel(uintptr_t pc)
{
  (void)pc;
  if (likely(!cancel_wanted(self_index())))
    return;
  acquire_from(&cancelled_by[self_index()]);
  thread_exit(PTHREAD_CANCELED);
}

bool cancel_wanted_in_call(unsigned t)
{
  return (rt.thread[t].at_point || rt.thread[t].cancel_async) && cancel_wanted(t);
}

void check_cancel_in_call(uintptr_t pc)
{
  if (unlikely(cancel_wanted_in_call(self_index())))
    check_cancel(pc);
}

void check_async_cancel(void)
{
  if (unlikely(self_thread()->cancel_async))
    check_cancel(0);
}

EXPORT int pthread_cancel(pthread_t id)
{
  if (!hd_self)
    return REAL(pthread_cancel)(id);
  unsigned t = thread_of(id);
  if (t == MAX_THREADS)
    misuse(NULL, OP_CANCEL, CALLER(), "cancels a thread that does not exist");
  step_on(OP_CANCEL, thread_object(t), t, CALLER());
  if (rt.thread[t].joined)
    misuse(thread_object(t), OP_CANCEL, CALLER(), "cancels a thread that was joined already");
  if (!rt.thread[t].finished) {
    rt.thread[t].cancel_pending = true;
    release_to(&cancelled_by[t]);
    if (cancel_wanted(t))
      rt.engine->thread[t].pending.traits |= OP_CANCELLED;
    engine_touch(rt.engine);
  }
  performed(0);
  if (t == self_index() && rt.thread[t].cancel_async)
    check_cancel(CALLER());
  return 0;
}

void cancellation_point(uintptr_t pc)
{
  if (self_thread()->cancel_disabled)
    return;
  struct operation op = {.kind = OP_TESTCANCEL, .pc = pc};
  step(&op);
  performed(0);
  check_cancel(pc);
}

EXPORT void pthread_testcancel(void)
{
  if (hd_self)
    cancellation_point(CALLER());
  else
    REAL(pthread_testcancel)();
}

EXPORT int pthread_setcancelstate(int state, int *old)
{
  if (!hd_self)
    return REAL(pthread_setcancelstate)(state, old);
  if (state != PTHREAD_CANCEL_ENABLE && state != PTHREAD_CANCEL_DISABLE)
    return EINVAL;
  struct thread *t = self_thread();
  if (old)
    *old = t->cancel_disabled ? PTHREAD_CANCEL_DISABLE : PTHREAD_CANCEL_ENABLE;
  t->cancel_disabled = state == PTHREAD_CANCEL_DISABLE;
  if (t->cancel_async)
    check_cancel(CALLER());
  return 0;
}

EXPORT int pthread_setcanceltype(int type, int *old)
{
  if (!hd_self)
    return REAL(pthread_setcanceltype)(type, old);
  if (type != PTHREAD_CANCEL_DEFERRED && type != PTHREAD_CANCEL_ASYNCHRONOUS)
    return EINVAL;
  struct thread *t = self_thread();
  if (old)
    *old = t->cancel_async ? PTHREAD_CANCEL_ASYNCHRONOUS : PTHREAD_CANCEL_DEFERRED;
  t->cancel_async = type == PTHREAD_CANCEL_ASYNCHRONOUS;
  if (t->cancel_async)
    check_cancel(CALLER());
  return 0;
}
