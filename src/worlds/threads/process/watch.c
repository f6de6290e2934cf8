/* SPDX-License-Identifier: Apache-2.0
 *
 * Watched calls: functions of the program whose calls are operations, so that the order of calls on an object can be
 * recorded and steered. The command line says which (struct watched_call); what heddle cc compiles begins with five
 * bytes that do nothing, and here they become a call of a stub, which goes on in watch_entry.S with all arguments still
 * in their registers. Without watched calls nothing is touched.
 *
 * The time of a call is its begin. Only functions that create an object are told of at their end, when it is known; for
 * that their return address is replaced, so they must not be left by an exception. Where calls are what can be left out
 * of a test (framework/program_parts.h), they are no operations, and those that are left out end here.
 *
 * The stubs lie within reach of a near call, in a mapping of their own, which is neither written nor put back
 * later. */
#include "worlds/threads/process/watch.h"
#include "core/sled.h"
#include "core/without_libc.h"
#include "heddle.h"
#include "worlds/threads/framework/program_parts.h"
#include "worlds/threads/runtime.h"
#include <link.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#define PAGE UINT64_C(4096)
#define STUB 32 /* bytes */
#define NEAR (UINT64_C(1) << 30)

struct saved_registers {
  uintptr_t argument[6];
  /* the others are of no interest here */
};

extern const char watch_entry[], watch_return[];

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

static void await_result(uint32_t function, uintptr_t *return_slot)
{
  struct thread *t = self_thread();
  while (t->creators && t->creator[t->creators - 1].slot <= return_slot)
    t->creators--; /* left by longjmp */
  if (t->creators == CREATORS)
    return;
  t->creator[t->creators].slot = return_slot;
  t->creator[t->creators].to = *return_slot;
  t->creator[t->creators++].function = function;
  *return_slot = (uintptr_t)watch_return;
}

/* A function was called: by whom is on the stack. True: it is to return at once. */
__attribute__((used)) bool watch_called(uint32_t function, const struct saved_registers *saved, uintptr_t *return_slot)
{
  const struct control_config *config = &rt.control->config;
  if (!hd_self)
    return false;
  if (config->leaves_out)
    return parts_leave_out(function, saved->argument, return_slot);
  const struct watched_call *w = &config->call[function - 1];
  if (w->role == CALL_CREATOR)
    await_result(function, return_slot);
  else
    announce(function, saved->argument[w->argument], watch_caller(*return_slot));
  return false;
}

/* A creator returns: where to. */
__attribute__((used)) uintptr_t watch_returns(const uintptr_t *slot)
{
  struct thread *t = self_thread();
  while (t->creators > 1 && t->creator[t->creators - 1].slot < slot)
    t->creators--;
  return t->creator[--t->creators].to;
}

/* And with what: no object means that there is none. The entry of its creator is just above the ones in use. */
__attribute__((used)) void watch_returned(uintptr_t result, uintptr_t pc)
{
  struct thread *t = self_thread();
  if (hd_self && result)
    announce(t->creator[t->creators].function, result, pc);
}

uintptr_t watch_caller(uintptr_t pc)
{
  const struct thread *t = self_thread();
  return pc == (uintptr_t)watch_return && t->creators ? t->creator[t->creators - 1].to : pc;
}

/* ---- patching ---- */

static int note_program(struct dl_phdr_info *info, size_t size, void *out)
{
  (void)size;
  *(struct dl_phdr_info *)out = *info;
  return 1; /* the program itself comes first */
}

/* A mapping that near calls of the program reach. */
static char *map_near(const struct dl_phdr_info *program, size_t size)
{
  uintptr_t low = UINTPTR_MAX;
  for (int i = 0; i < program->dlpi_phnum; i++)
    if (program->dlpi_phdr[i].p_type == PT_LOAD && program->dlpi_phdr[i].p_vaddr < low)
      low = program->dlpi_phdr[i].p_vaddr;
  low = (low + program->dlpi_addr) & ~(PAGE - 1);
  for (uintptr_t away = 16 * PAGE; away < NEAR; away *= 2)
    for (int up = 0; up < 2; up++) {
      uintptr_t at = up ? low + away + NEAR / 2 : low - away;
      if (!up && low < away + 16 * PAGE)
        continue;
      long got =
          sys(SYS_mmap, at, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
      if (got == (long)at)
        return (char *)at;
    }
  return NULL;
}

/* push $function; jmp *target */
static void write_stub(unsigned char *stub, uint32_t function)
{
  static const unsigned char jump[] = {0xff, 0x25, 0, 0, 0, 0};
  const char *target = watch_entry;
  stub[0] = 0x68;
  copy_bytes(stub + 1, &function, 4);
  copy_bytes(stub + 5, jump, sizeof jump);
  copy_bytes(stub + 5 + sizeof jump, &target, sizeof target);
}

static void patch(unsigned char *sled, const unsigned char *stub)
{
  uintptr_t page = (uintptr_t)sled & ~(PAGE - 1), end = ((uintptr_t)sled + SLED + PAGE - 1) & ~(PAGE - 1);
  int32_t distance = (int32_t)(stub - (sled + SLED));
  if (sys(SYS_mprotect, page, end - page, PROT_READ | PROT_WRITE | PROT_EXEC) < 0)
    fail(0, "the code of the program cannot be changed, so its calls cannot be watched");
  sled[0] = 0xe8;
  copy_bytes(sled + 1, &distance, 4);
  sys(SYS_mprotect, page, end - page, PROT_READ | PROT_EXEC);
}

void watch_boot(void)
{
  struct control_config *config = &rt.control->config;
  struct dl_phdr_info program = {0};
  size_t size = (WATCHED_CALLS * STUB + PAGE - 1) & ~(PAGE - 1);
  uint32_t watched = 0;
  for (uint32_t i = 0; i < config->calls; i++)
    watched += config->call[i].sled != 0;
  if (!watched)
    return;
  dl_iterate_phdr(note_program, &program);
  base = program.dlpi_addr;
  char *stubs = map_near(&program, size);
  if (!stubs)
    fail(0, "there is no room near the program's code, so its calls cannot be watched");
  for (uint32_t i = 0; i < config->calls; i++) {
    unsigned char *sled = (unsigned char *)(program.dlpi_addr + config->call[i].sled);
    unsigned char *stub = (unsigned char *)stubs + (size_t)i * STUB;
    if (!config->call[i].sled || !is_sled(sled))
      continue;
    write_stub(stub, i + 1);
    patch(sled, stub);
  }
  sys(SYS_mprotect, stubs, size, PROT_READ | PROT_EXEC);
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
