/* SPDX-License-Identifier: Apache-2.0
 *
 * Watched calls in a free run; see property_calls.h. A call that is left by an exception or by pthread_exit() is put
 * back as it was before the stack is unwound.
 */
#include "enforce/property_calls.h"
#include "core/config.h"
#include "core/sled.h"
#include "core/without_libc.h"
#include "enforce/order_real.h"
#include "enforce/order_threads.h"
#include "enforce/property_keeping.h"
#include "watch/awaited.h"
#include <malloc.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>
#include <unwind.h>

#define EXPORTED __attribute__((visibility("default")))

static bool has_events[WATCHED_CALLS + 1][2]; /* before the call, and after it */
static bool has_objects;                      /* some parameter is an address */
static bool without_sleeps;
static __thread struct awaited_returns awaited __attribute__((tls_model("initial-exec")));

/* ---- calls ---- */

/* Each field by itself: setting all to zero first would take longer than all the rest. */
static void happen(uint32_t function, const uintptr_t *argument, bool after, bool unfinished, uintptr_t result,
                   uintptr_t pc)
{
  struct property_happening h;
  h.source = EVENT_OF_CALL;
  h.after = after;
  h.unfinished = unfinished;
  h.function = function;
  h.mark = NULL;
  h.argument = argument;
  h.result = result;
  h.pc = pc;
  h.bias = h.addr = h.size = 0;
  h.accesses = 0;
  property_happens(&h);
}

bool watch_called(uint32_t function, const struct saved_registers *saved, uintptr_t *return_slot)
{
  if (has_events[function][false])
    happen(function, saved->argument, false, false, 0, *return_slot);
  if (has_events[function][true] && !property_is_inside())
    await_return(&awaited, function, saved, return_slot);
  return false;
}

uintptr_t watch_returns(const uintptr_t *slot)
{
  return take_return(&awaited, slot)->to;
}

/* Of the entry that was taken last. */
void watch_returned(uintptr_t result, uintptr_t pc)
{
  const struct awaited_return r = awaited.list[awaited.count];
  happen(r.function, r.argument, true, false, result, pc);
}

void property_calls_end(void)
{
  while (awaited.count) {
    const struct awaited_return r = awaited.list[--awaited.count];
    happen(r.function, r.argument, true, true, 0, 0);
  }
}

static void put_back_all(void)
{
  static uint32_t told;
  char text[160];
  bool some = false;
  while (put_back_return(&awaited))
    some = true;
  if (some && !__atomic_exchange_n(&told, 1, __ATOMIC_RELAXED))
    order_say(text, print_text(text, sizeof text,
                               "heddle: a call was left by an exception or the end of its thread; events after it "
                               "are not seen\n"));
}

EXPORTED _Unwind_Reason_Code _Unwind_RaiseException(struct _Unwind_Exception *exception)
{
  put_back_all();
  return REAL(_Unwind_RaiseException)(exception);
}

EXPORTED _Noreturn void pthread_exit(void *result)
{
  put_back_all();
  REAL(pthread_exit)(result);
  __builtin_unreachable();
}

/* ---- patching ---- */

static bool map_at(uintptr_t at, size_t size)
{
  void *found =
      mmap((void *)at, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  if (found != MAP_FAILED && (uintptr_t)found != at)
    munmap(found, size);
  return (uintptr_t)found == at;
}

static bool protect(uintptr_t at, size_t size, int how)
{
  return mprotect((void *)at, size, how) == 0;
}

static uintptr_t resolve(const char *name)
{
  return (uintptr_t)dlsym(RTLD_DEFAULT, name);
}

/* Behind a landing pad, if the function begins with one. */
static unsigned char *sled_in(unsigned char *code)
{
  bool pad = code[0] == 0xf3 && code[1] == 0x0f && code[2] == 0x1e && code[3] == 0xfa;
  return code + (pad ? 4 : 0);
}

bool property_call_is_own(unsigned char *code)
{
  return is_in_program((uintptr_t)code) && is_sled(sled_in(code));
}

bool property_calls_begin(const struct property_set *set, const struct called_function *functions, uint32_t count,
                          char *error, size_t size)
{
  struct patching p = {.map = map_at, .protect = protect, .resolve = resolve};
  for (uint32_t r = 0; r < set->rules; r++)
    if (set->rule[r].source == EVENT_OF_CALL)
      has_events[set->rule[r].function][set->rule[r].after] = true;
  for (uint32_t i = 0; i < set->properties; i++)
    has_objects |= set->property[i].pointers != 0;
  if (count && !patches_begin(&p, count)) {
    print_text(error, size, "there is no room near the program's code, so its calls cannot be watched");
    return false;
  }
  for (uint32_t i = 0; i < count; i++) {
    const struct called_function *f = &functions[i];
    unsigned char *sled = f->code ? sled_in(f->code) : NULL;
    if (sled && !is_sled(sled)) {
      print_text(error, size, "%s has no room for a call; compile it with -fpatchable-function-entry=5", f->name);
      return false;
    }
    if (!(sled ? patch_function(&p, i + 1, sled) : patch_library(&p, i + 1, f->name))) {
      print_text(error, size, "the program cannot be changed, so calls of %s cannot be watched", f->name);
      return false;
    }
  }
  if (count)
    patches_end(&p);
  return true;
}

/* ---- memory ---- */

#ifdef __SANITIZE_THREAD__ /* this library itself: the C library frees something where a thread has only just begun */
#define CAN_LOOK order_thread_runs()
#else
#define CAN_LOOK true
#endif

/* Looking for the real one may free something itself, once: that is left where it is. */
BEFORE_SANITIZERS EXPORTED void free(void *block)
{
  static __thread bool looks __attribute__((tls_model("initial-exec")));
  if (looks)
    return;
  looks = true;
  __typeof__(&free) real = REAL(free);
  looks = false;
  if (block && has_objects && CAN_LOOK)
    property_freed((uintptr_t)block, malloc_usable_size(block));
  real(block);
}

BEFORE_SANITIZERS EXPORTED void *realloc(void *block, size_t size)
{
  size_t before = block && has_objects && CAN_LOOK ? malloc_usable_size(block) : 0;
  void *result = REAL(realloc)(block, size);
  if (before && result != block && (result || !size))
    property_freed((uintptr_t)block, before);
  return result;
}

BEFORE_SANITIZERS EXPORTED int munmap(void *block, size_t size)
{
  if (has_objects && CAN_LOOK)
    property_freed((uintptr_t)block, size);
  return REAL(munmap)(block, size);
}

/* ---- sleeps ---- */

void property_calls_without_sleeps(void)
{
  without_sleeps = true;
}

bool property_leaves_out_sleeps(void)
{
  return without_sleeps;
}

/*  X(result, function, (parameters), (arguments)) */
#define SLEEPS(X)                                                                                                      \
  X(unsigned, sleep, (unsigned seconds), (seconds))                                                                    \
  X(int, usleep, (useconds_t time), (time))                                                                            \
  X(int, nanosleep, (const struct timespec *time, struct timespec *left), (time, left))                                \
  X(int, clock_nanosleep, (clockid_t clock, int flags, const struct timespec *time, struct timespec *left),            \
    (clock, flags, time, left))                                                                                        \
  X(int, thrd_sleep, (const struct timespec *time, struct timespec *left), (time, left))

#define X(type, function, parameters, arguments)                                                                       \
  EXPORTED type function parameters                                                                                    \
  {                                                                                                                    \
    if (!without_sleeps)                                                                                               \
      return REAL(function) arguments;                                                                                 \
    sched_yield();                                                                                                     \
    return 0;                                                                                                          \
  }
SLEEPS(X)
#undef X

/* With nothing to wait for it is a sleep, too; and so is poll() (order_calls.c). */
EXPORTED int select(int count, fd_set *restrict read, fd_set *restrict write, fd_set *restrict other,
                    struct timeval *restrict timeout)
{
  if (!without_sleeps || count || !timeout)
    return REAL(select)(count, read, write, other, timeout);
  sched_yield();
  return 0;
}
