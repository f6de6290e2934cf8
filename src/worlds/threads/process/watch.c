/* SPDX-License-Identifier: Apache-2.0
 *
 * Watched calls: functions of the program whose calls are operations, so that the order of calls on an object can be
 * recorded and steered. The command line says which (struct watched_call); what heddle cc compiles begins with five
 * bytes that do nothing, and they become calls of ours (watch/patches.h). Without watched calls nothing is touched.
 *
 * The time of a call is its begin. Functions that create an object are told of at their end, when it is known; so are
 * those of which a property says something that happens after them. For that their return address is replaced; when the
 * stack is unwound it is put back, and their end is not told. Where calls are what can be left out of a
 * test (framework/program_parts.h), they are no operations, and those that are left out end here.
 *
 * The mapping of the stubs is neither written nor put back later. */
#include "worlds/threads/process/watch.h"
#include "core/without_libc.h"
#include "heddle.h"
#include "worlds/threads/framework/program_parts.h"
#include "worlds/threads/process/property_events.h"
#include "worlds/threads/runtime.h"
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unwind.h>

static uintptr_t base;

uintptr_t watch_base(void)
{
  return base;
}

/* ---- calls ---- */

static void announce(uint32_t function, uintptr_t object, uintptr_t pc)
{
  bool makes = rt.control->config.call[function - 1].role != CALL_METHOD;
  struct operation op = {.kind = OP_CALL,
                         .traits = makes ? OP_MAKES : 0,
                         .object = object_at((void *)object, OBJECT_NOTHING, NULL)->id,
                         .addr = object,
                         .arg = function,
                         .pc = pc};
  step(&op);
  performed(0);
}

/* A function was called: by whom is on the stack. True: it is to return at once. */
__attribute__((used)) bool watch_called(uint32_t function, const struct saved_registers *saved, uintptr_t *return_slot)
{
  const struct control_config *config = &rt.control->config;
  if (!hd_self)
    return false;
  const struct watched_call *w = &config->call[function - 1];
  bool is_step = w->is_step && !config->leaves_out, creates = is_step && w->role == CALL_CREATOR;
  if (w->is_step && config->leaves_out && parts_leave_out(function, saved->argument, return_slot))
    return true;
  uintptr_t pc = caller_behind(*return_slot);
  if (w->has_events[false])
    property_call(function, false, saved->argument, 0, pc);
  if (is_step && !creates)
    announce(function, saved->argument[w->argument], pc);
  if ((creates || w->has_events[true]) && !await_return(&self_thread()->awaited, function, saved, return_slot))
    lose(LOST_EVENTS);
  return false;
}

/* A function whose return is awaited returns: where to. */
__attribute__((used)) uintptr_t watch_returns(const uintptr_t *slot)
{
  return take_return(&self_thread()->awaited, slot)->to;
}

/* And with what: of a creator, no object means that there is none. Its entry is just above the ones in use. */
__attribute__((used)) void watch_returned(uintptr_t result, uintptr_t pc)
{
  const struct awaited_returns *a = &self_thread()->awaited;
  const struct awaited_return *returned = &a->list[a->count];
  uint32_t function = returned->function;
  const struct control_config *config = &rt.control->config;
  const struct watched_call *w = &config->call[function - 1];
  pc = caller_behind(pc);
  if (hd_self && w->is_step && !config->leaves_out && w->role == CALL_CREATOR && result)
    announce(function, result, pc);
  if (hd_self && w->has_events[true])
    property_call(function, true, returned->argument, result, pc);
}

uintptr_t watch_caller(void)
{
  return awaited_caller(&self_thread()->awaited);
}

void watch_unwinds(void)
{
  const struct awaited_return *r;
  while ((r = put_back_return(&self_thread()->awaited)))
    if (rt.control->config.call[r->function - 1].has_events[true])
      property_left();
}

/* Exceptions of C++, which begin to unwind here. */
EXPORT _Unwind_Reason_Code _Unwind_RaiseException(struct _Unwind_Exception *exception)
{
  if (hd_self)
    watch_unwinds();
  return REAL(_Unwind_RaiseException)(exception);
}

/* ---- patching ---- */

static bool map_at(uintptr_t at, size_t size)
{
  return sys(SYS_mmap, at, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) ==
         (long)at;
}

static bool protect(uintptr_t at, size_t size, int how)
{
  return sys(SYS_mprotect, at, size, how) >= 0;
}

void watch_boot(void)
{
  struct control_config *config = &rt.control->config;
  struct patching p = {.map = map_at, .protect = protect};
  uint32_t watched = 0;
  if (config->unseen_events)
    lose(LOST_EVENTS);
  for (uint32_t i = 0; i < config->calls; i++)
    watched += config->call[i].sled || config->call[i].in_library;
  if (!watched)
    return;
  if (!patches_begin(&p, WATCHED_CALLS))
    fail(0, "there is no room near the program's code, so its calls cannot be watched");
  base = p.base;
  for (uint32_t i = 0; i < config->calls; i++) {
    const struct watched_call *call = &config->call[i];
    if (call->in_library && !patch_library(&p, i + 1, call->name))
      fail(0, "the program's table of functions cannot be changed, so calls of %s cannot be watched", call->name);
    if (call->sled && !patch_function(&p, i + 1, (unsigned char *)(p.base + call->sled)))
      fail(0, "the code of the program cannot be changed, so its calls cannot be watched");
  }
  patches_end(&p);
}

/* ---- calls that the program tells of itself (heddle.h) ---- */

static uint32_t number_of(const struct hd_call *call)
{
  const struct control_config *config = &rt.control->config;
  uint32_t i = 0;
  while (i < config->calls && (config->call[i].sled || text_compare(config->call[i].type, call->type) ||
                               text_compare(config->call[i].name, call->method)))
    i++;
  return i < config->calls ? i + 1 : 0;
}

/* Before main, by every file that includes the header, so that they have the same numbers in every process. */
EXPORT void hd__calls(const struct hd_call *from, const struct hd_call *to)
{
  for (; rt.control && from < to; from++) {
    struct control_config *config = &rt.control->config;
    if (config->calls == WATCHED_CALLS || number_of(from))
      continue;
    struct watched_call *w = &config->call[config->calls++];
    *w = (struct watched_call){0};
    print_text(w->type, sizeof w->type, "%s", from->type);
    print_text(w->name, sizeof w->name, "%s", from->method);
  }
}

EXPORT void hd__call(const struct hd_call *call, const void *object)
{
  uint32_t function = hd_self ? number_of(call) : 0;
  if (function)
    announce(function, (uintptr_t)object, CALLER());
}
