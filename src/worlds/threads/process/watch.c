/* SPDX-License-Identifier: Apache-2.0
 *
 * Watched calls: functions of the program whose calls are operations, so that the order of calls on an object can be
 * recorded and steered. The command line says which (struct watched_call); what heddle cc compiles begins with five
 * bytes that do nothing, and here they become a call of a stub, which goes on in watch_entry.S with all arguments still
 * in their registers. Without watched calls nothing is touched.
 *
 * The time of a call is its begin. Functions that create an object are told of at their end, when it is known; so are
 * those of which a property says something that happens after them. For that their return address is replaced; when the
 * stack is unwound it is put back, and their end is not told. Where calls are what can be left out of a
 * test (framework/program_parts.h), they are no operations, and those that are left out end here.
 *
 * The stubs lie within reach of a near call, in a mapping of their own, which is neither written nor put back
 * later. */
#include "worlds/threads/process/watch.h"
#include "core/sled.h"
#include "core/system_library.h"
#include "core/without_libc.h"
#include "heddle.h"
#include "worlds/threads/framework/program_parts.h"
#include "worlds/threads/process/property_events.h"
#include "worlds/threads/runtime.h"
#include <link.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unwind.h>

#define PAGE UINT64_C(4096)
#define STUB 48 /* bytes */
#define NEAR (UINT64_C(1) << 30)

struct saved_registers {
  uintptr_t argument[6];
  /* the others are of no interest here */
};

extern const char watch_entry[];

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

/* The function's return is to be told of, too. */
static void await_return(uint32_t function, const struct saved_registers *saved, uintptr_t *return_slot)
{
  struct thread *t = self_thread();
  /* Entries of the same place are of functions that ended in this call, unless they were left by longjmp. */
  while (t->creators && (t->creator[t->creators - 1].slot < return_slot ||
                         (t->creator[t->creators - 1].slot == return_slot && *return_slot != (uintptr_t)watch_return)))
    t->creators--;
  if (t->creators == CREATORS) {
    lose(LOST_EVENTS);
    return;
  }
  t->creator[t->creators].slot = return_slot;
  t->creator[t->creators].to = *return_slot;
  t->creator[t->creators].function = function;
  copy_bytes(t->creator[t->creators].argument, saved->argument, sizeof saved->argument);
  t->creators++;
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
  bool creates = w->is_step && w->role == CALL_CREATOR;
  uintptr_t pc = caller_behind(*return_slot);
  if (w->has_events[false])
    property_call(function, false, saved->argument, 0, pc);
  if (w->is_step && !creates)
    announce(function, saved->argument[w->argument], pc);
  if (creates || w->has_events[true])
    await_return(function, saved, return_slot);
  return false;
}

/* A function whose return is awaited returns: where to. */
__attribute__((used)) uintptr_t watch_returns(const uintptr_t *slot)
{
  struct thread *t = self_thread();
  while (t->creators > 1 && t->creator[t->creators - 1].slot < slot)
    t->creators--;
  return t->creator[--t->creators].to;
}

/* And with what: of a creator, no object means that there is none. Its entry is just above the ones in use. */
__attribute__((used)) void watch_returned(uintptr_t result, uintptr_t pc)
{
  struct thread *t = self_thread();
  uint32_t function = t->creator[t->creators].function;
  const struct watched_call *w = &rt.control->config.call[function - 1];
  pc = caller_behind(pc);
  if (hd_self && w->is_step && w->role == CALL_CREATOR && result)
    announce(function, result, pc);
  if (hd_self && w->has_events[true])
    property_call(function, true, t->creator[t->creators].argument, result, pc);
}

/* Through functions that ended in calls of others. */
uintptr_t watch_caller(void)
{
  const struct thread *t = self_thread();
  uint32_t i = t->creators;
  while (i && t->creator[i - 1].to == (uintptr_t)watch_return)
    i--;
  return i ? t->creator[i - 1].to : (uintptr_t)watch_return;
}

void watch_unwinds(void)
{
  struct thread *t = self_thread();
  for (; t->creators; t->creators--) {
    uintptr_t *slot = t->creator[t->creators - 1].slot;
    if (*slot != (uintptr_t)watch_return)
      continue;
    *slot = t->creator[t->creators - 1].to;
    if (rt.control->config.call[t->creator[t->creators - 1].function - 1].has_events[true])
      property_left();
  }
}

/* Exceptions of C++, which begin to unwind here. */
EXPORT _Unwind_Reason_Code _Unwind_RaiseException(struct _Unwind_Exception *exception)
{
  if (hd_self)
    watch_unwinds();
  return REAL(_Unwind_RaiseException)(exception);
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

/* ---- functions of libraries ----
 *
 * Where a module of the program keeps the address of the function, that of a stub is put, which goes on there as if the
 * function had been called from where the stub was. */

struct slots {
  const char *name;
  unsigned char *stub;
  uint32_t number;
  uintptr_t target; /* what was there, 0 as long as there was none */
};

/* push target; push $function; jmp *entry */
static void write_library_stub(unsigned char *stub, uint32_t function, uintptr_t target)
{
  static const unsigned char push_target[] = {0xff, 0x35, 11, 0, 0, 0}, jump[] = {0xff, 0x25, 8, 0, 0, 0};
  const char *entry = watch_entry;
  copy_bytes(stub, push_target, sizeof push_target);
  stub[6] = 0x68;
  copy_bytes(stub + 7, &function, 4);
  copy_bytes(stub + 11, jump, sizeof jump);
  copy_bytes(stub + 17, &target, sizeof target);
  copy_bytes(stub + 25, &entry, sizeof entry);
}

static bool is_read_only(const struct dl_phdr_info *info, uintptr_t addr)
{
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *p = &info->dlpi_phdr[i];
    if (p->p_type == PT_GNU_RELRO && addr - (info->dlpi_addr + p->p_vaddr) < p->p_memsz)
      return true;
  }
  return false;
}

static void replace_slot(const struct dl_phdr_info *info, struct slots *s, uintptr_t *slot)
{
  uintptr_t page = (uintptr_t)slot & ~(PAGE - 1);
  if (!s->target) {
    s->target = *slot;
    write_library_stub(s->stub, s->number, s->target);
  }
  if (*slot != s->target)
    return;
  if (is_read_only(info, (uintptr_t)slot) && sys(SYS_mprotect, page, PAGE, PROT_READ | PROT_WRITE) < 0)
    fail(0, "the program's table of functions cannot be changed, so calls of %s cannot be watched", s->name);
  *slot = (uintptr_t)s->stub;
  if (is_read_only(info, (uintptr_t)slot))
    sys(SYS_mprotect, page, PAGE, PROT_READ);
}

struct dynamic {
  const ElfW(Rela) * list[2];
  size_t bytes[2];
  const ElfW(Sym) * symbols;
  const char *strings;
};

static struct dynamic read_dynamic(const struct dl_phdr_info *info)
{
  struct dynamic d = {0};
  const ElfW(Dyn) *at = NULL;
  for (int i = 0; i < info->dlpi_phnum; i++)
    if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
      at = (const ElfW(Dyn) *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
  for (; at && at->d_tag != DT_NULL; at++) {
    switch (at->d_tag) {
    case DT_JMPREL:
      d.list[0] = (const void *)at->d_un.d_ptr;
      break;
    case DT_PLTRELSZ:
      d.bytes[0] = at->d_un.d_val;
      break;
    case DT_RELA:
      d.list[1] = (const void *)at->d_un.d_ptr;
      break;
    case DT_RELASZ:
      d.bytes[1] = at->d_un.d_val;
      break;
    case DT_SYMTAB:
      d.symbols = (const void *)at->d_un.d_ptr;
      break;
    case DT_STRTAB:
      d.strings = (const void *)at->d_un.d_ptr;
      break;
    default:
      break;
    }
  }
  return d;
}

/* What the program is made of: not the C library and its like, and not we. */
static bool is_programs(const struct dl_phdr_info *info)
{
  for (int i = 0; i < info->dlpi_phnum; i++)
    if (info->dlpi_phdr[i].p_type == PT_LOAD &&
        (uintptr_t)watch_entry - (info->dlpi_addr + info->dlpi_phdr[i].p_vaddr) < info->dlpi_phdr[i].p_memsz)
      return false;
  return !info->dlpi_name[0] || !is_system_library(info->dlpi_name);
}

static int replace_in_module(struct dl_phdr_info *info, size_t size, void *context)
{
  struct slots *s = context;
  (void)size;
  if (!is_programs(info))
    return 0;
  struct dynamic d = read_dynamic(info);
  for (unsigned k = 0; k < 2 && d.symbols && d.strings; k++)
    for (const ElfW(Rela) *r = d.list[k]; (uintptr_t)r < (uintptr_t)d.list[k] + d.bytes[k]; r++) {
      uint64_t type = ELF64_R_TYPE(r->r_info);
      if ((type == R_X86_64_JUMP_SLOT || type == R_X86_64_GLOB_DAT) &&
          !text_compare(d.strings + d.symbols[ELF64_R_SYM(r->r_info)].st_name, s->name))
        replace_slot(info, s, (uintptr_t *)(info->dlpi_addr + r->r_offset));
    }
  return 0;
}

static void watch_library(const struct watched_call *call, uint32_t number, unsigned char *stub)
{
  struct slots s = {.name = call->name, .stub = stub, .number = number};
  dl_iterate_phdr(replace_in_module, &s);
}

void watch_boot(void)
{
  struct control_config *config = &rt.control->config;
  struct dl_phdr_info program = {0};
  size_t size = (WATCHED_CALLS * STUB + PAGE - 1) & ~(PAGE - 1);
  uint32_t watched = 0;
  if (config->unseen_events)
    lose(LOST_EVENTS);
  for (uint32_t i = 0; i < config->calls; i++)
    watched += config->call[i].sled || config->call[i].in_library;
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
    if (config->call[i].in_library)
      watch_library(&config->call[i], i + 1, stub);
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
