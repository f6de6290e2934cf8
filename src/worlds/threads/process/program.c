/* SPDX-License-Identifier: Apache-2.0
 *
 * The ways a program says that something is wrong or that it is over (assert, abort, exit), who it thinks it is
 * (process and thread ids), randomness, and syscall(). Also which code is the program's and which is
 * ours. */
#include "core/assembly.h"
#include "core/calls.h"
#include "core/finding.h"
#include "core/rng.h"
#include "core/system_library.h"
#include "core/without_libc.h"
#include "worlds/threads/framework/testing.h"
#include "worlds/threads/libc/library_calls.h"
#include "worlds/threads/memory/hooked_modules.h"
#include "worlds/threads/process/maps.h"
#include "worlds/threads/process/processes.h"
#include "worlds/threads/runtime.h"
#include "worlds/threads/system/call.h"
#include "worlds/threads/system/signals.h"
#include <assert.h>
#include <elf.h>
#include <errno.h>
#include <gnu/lib-names.h>
#include <link.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ---- whose code is it? ---- */

#define MODULES 256
#define LIBSTDCXX_SO "libstdc++.so.6"

static struct loaded_module {
  uintptr_t start, end;
  uintptr_t data_start, data_end;
  bool runtime, program, hooks, linker;
} modules[MODULES];
static struct libraries libraries;
static unsigned module_count;

/* Whether the module asks for the library by name. */
static bool needs(const struct link_map *module, const char *path)
{
  const char *names = NULL, *name = base_name(path);
  for (const ElfW(Dyn) *d = module->l_ld; d->d_tag != DT_NULL; d++)
    if (d->d_tag == DT_STRTAB)
      names = (const char *)(d->d_un.d_ptr < module->l_addr ? d->d_un.d_ptr + module->l_addr : d->d_un.d_ptr);
  for (const ElfW(Dyn) *d = module->l_ld; names && d->d_tag != DT_NULL; d++)
    if (d->d_tag == DT_NEEDED && !text_compare(base_name(names + d->d_un.d_val), name))
      return true;
  return false;
}

/* Whether that is how the dynamic linker came to it; else it was asked to load it at run time. */
static bool needed_by_any(const char *path)
{
  for (const struct link_map *m = _r_debug.r_map; m; m = m->l_next)
    if (needs(m, path))
      return true;
  return false;
}

/* Criterion brings a dozen of libraries for its runner, which does not run here (criterion.c). */
static bool idle(const char *path)
{
  return rt.control->config.framework == FRAMEWORK_CRITERION && *path && !needs(_r_debug.r_map, path);
}

/* Whether the code has a compare-and-exchange or a fetch-and-add of its own. Instrumented code calls us for those of
 * the language, so there it is from assembly. */
static bool has_atomics(const unsigned char *code, size_t size)
{
  for (size_t i = 0; i + 5 < size; i++) {
    if (code[i] != 0xf0)
      continue;
    const unsigned char *at = code + i + 1 + ((code[i + 1] & 0xf0) == 0x40);
    if (i >= 6 && assembly_is_hooked(code + i))
      continue;
    if (at[0] == 0x0f && (at[1] == 0xb0 || at[1] == 0xb1 || at[1] == 0xc0 || at[1] == 0xc1))
      return true;
  }
  return false;
}

/* rdrand and rdseed: numbers that nobody can foresee. */
static bool has_random_numbers(const unsigned char *code, size_t size)
{
  for (size_t i = 0; i + 2 < size; i++)
    if (code[i] == 0x0f && code[i + 1] == 0xc7 && code[i + 2] >= 0xf0)
      return true;
  return false;
}

static void note_opaque(const char *path, bool opaque)
{
  if (!opaque || rt.engine->opaque)
    return;
  rt.engine->opaque = true;
  print_text(rt.control->opaque, sizeof rt.control->opaque, "%s", base_name(path));
}

static int note_module(struct dl_phdr_info *info, size_t size, void *unused)
{
  (void)size, (void)unused;
  if (module_count == MODULES)
    return 1;
  struct loaded_module *m = &modules[module_count];
  *m = (struct loaded_module){.start = UINTPTR_MAX};
  bool hooks = module_has_hooks(info);
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *p = &info->dlpi_phdr[i];
    uintptr_t start = info->dlpi_addr + p->p_vaddr;
    if (p->p_type == PT_NOTE)
      assembly_read_notes(start, p->p_memsz);
    if (p->p_type == PT_LOAD && p->p_flags & PF_W) {
      m->data_start = start;
      m->data_end = start + p->p_memsz;
    }
    if (p->p_type != PT_LOAD || !(p->p_flags & PF_X))
      continue;
    if (!rt.engine->opaque && rt.control->config.races != RACES_IGNORE && !is_system_library(info->dlpi_name) &&
        !idle(info->dlpi_name) && !((uintptr_t)note_module >= start && (uintptr_t)note_module < start + p->p_memsz))
      note_opaque(info->dlpi_name, has_atomics((const unsigned char *)start, p->p_filesz));
    if (p->p_type == PT_LOAD && p->p_flags & PF_X && (hooks || module_count == 0) &&
        !((uintptr_t)note_module >= start && (uintptr_t)note_module < start + p->p_memsz) &&
        has_random_numbers((const unsigned char *)start, p->p_filesz))
      lose(LOST_CHANCE);
    m->start = start < m->start ? start : m->start;
    m->end = start + p->p_memsz > m->end ? start + p->p_memsz : m->end;
  }
  uintptr_t here = (uintptr_t)note_module;
  m->runtime = here >= m->start && here < m->end;
  m->program = !m->runtime && (module_count == 0 || hooks);
  m->hooks = hooks;
  if (m->program && (hd_own.embedded || module_calls(info, (uintptr_t)pthread_cancel, (uintptr_t)pthread_cancel + 1)))
    hd_own.cancels = true;
  m->linker = !text_compare(base_name(info->dlpi_name), LD_SO);
  if (!text_compare(base_name(info->dlpi_name), LIBC_SO))
    libraries.c = (struct code){m->start, m->end};
  if (!text_compare(base_name(info->dlpi_name), LIBSTDCXX_SO))
    libraries.cxx = (struct code){m->start, m->end};
  if (hooks && !m->runtime)
    rt.control->config.instrumented = 1;
  if (!hooks && module_count == 0)
    rt.engine->opaque = true;
  module_count++;
  return 0;
}

struct callee {
  const struct loaded_module *module;
  const char *path;
  unsigned caller; /* the module that is looked at */
  const struct link_map *caller_map;
  bool called;
};

/* heddle starts programs with all their symbols bound. A program that explores itself (hd_explore) may not have asked
 * for it; there, what it was linked with counts as called. */
static int look_for_call(struct dl_phdr_info *info, size_t size, void *of)
{
  (void)size;
  struct callee *c = of;
  if (c->caller < module_count && modules[c->caller].program)
    c->called = hd_own.embedded ? needs(c->caller_map, c->path) : module_calls(info, c->module->start, c->module->end);
  c->caller++;
  c->caller_map = c->caller_map->l_next;
  return c->called || !c->caller_map;
}

/* A module counts if its code runs: the program itself, what the program or a library with hooks calls, and what was
 * asked for at run time. Those that only such libraries call in turn are part of them. */
static int note_hooks(struct dl_phdr_info *info, size_t size, void *number)
{
  (void)size;
  unsigned n = (*(unsigned *)number)++;
  if (n >= module_count)
    return 1;
  const struct loaded_module *m = &modules[n];
  if (m->program && m->hooks && !hd_own.embedded)
    note_unseen_calls(info, &libraries);
  struct callee callee = {.module = m, .path = info->dlpi_name, .caller_map = _r_debug.r_map};
  if (m->runtime || m->hooks || is_system_library(info->dlpi_name) || idle(info->dlpi_name))
    return 0;
  if (n && needed_by_any(info->dlpi_name)) {
    dl_iterate_phdr(look_for_call, &callee);
    if (!callee.called)
      return 0;
  }
  note_unhooked(n ? info->dlpi_name : program_invocation_name);
  return 0;
}

static void settle_random_bytes(void);

void program_boot(void)
{
  settle_random_bytes();
  unsigned number = 0;
  if (module_count)
    return;
  dl_iterate_phdr(note_module, NULL);
  dl_iterate_phdr(note_hooks, &number);
  note_unhooked_loss();
}

void program_map(void)
{
  static struct mapping unused[1];
  maps_read(unused, 1);
}

static const struct loaded_module *module_of(uintptr_t pc)
{
  for (unsigned i = 0; i < module_count; i++)
    if (pc >= modules[i].start && pc < modules[i].end)
      return &modules[i];
  return NULL;
}

bool in_static_data(uintptr_t addr)
{
  for (unsigned i = 0; i < module_count; i++)
    if (addr >= modules[i].data_start && addr < modules[i].data_end)
      return true;
  return false;
}

bool in_runtime(uintptr_t pc)
{
  const struct loaded_module *m = module_of(pc);
  return m && m->runtime;
}

bool in_linker(uintptr_t pc)
{
  const struct loaded_module *m = module_of(pc);
  return m && m->linker;
}

bool in_program(uintptr_t pc)
{
  const struct loaded_module *m = module_of(pc);
  return m && m->program;
}

uintptr_t stable_place(uintptr_t pc)
{
  if (pc >> IMAGE_SHIFT)
    return pc; /* of another program, which has its modules at the same places in every process */
  const struct loaded_module *m = module_of(pc);
  return m ? pc - m->start + ((uintptr_t)(m - modules) << 48) : pc;
}

uintptr_t address_of_place(uintptr_t place)
{
  unsigned m = (unsigned)(place >> 48);
  return m < module_count ? modules[m].start + (place & ((UINT64_C(1) << 48) - 1)) : place;
}

/* ---- failures the program finds itself ---- */

static uint64_t hash_text(const char *s)
{
  uint64_t h = 0;
  while (*s)
    h = mix64(h + (unsigned char)*s++);
  return h;
}

static void bug_stack(struct bug *bug)
{
  struct bug_party *party = &bug->party[0];
  party->depth = (uint16_t)unwind_stack(party->stack, BUG_STACK);
  for (unsigned i = 0; i < party->depth; i++)
    party->stack[i] = in_image(party->stack[i]);
}

void assertion_failed(const char *where, const char *text, uintptr_t pc)
{
  struct bug *bug = bug_new(rt.engine, BUG_ASSERTION, bug_key_of(rt.engine, BUG_ASSERTION, hash_text(where), 0));
  bug_text(bug, "%s%s", strncmp(text, "assertion", 9) ? "assertion failed: " : "", text);
  print_text(bug->where, sizeof bug->where, "%s", where);
  bug_add_party(rt.engine, bug, self_index(), OP_NONE, 0, 0, in_image(pc));
  bug_stack(bug);
  bug_declare(rt.engine, bug);
  execution_end();
}

EXPORT void __assert_fail(const char *expression, const char *file, unsigned line, const char *function)
{
  if (!hd_self)
    REAL(__assert_fail)(expression, file, line, function);
  char text[512], where[192];
  size_t n = print_text(text, sizeof text, "%s:%u: %s: Assertion `%s' failed.\n", file, line, function, expression);
  output_write(text, n);
  print_text(where, sizeof where, "%s:%u", file, line);
  assertion_failed(where, expression, CALLER());
}

EXPORT void __assert_perror_fail(int error, const char *file, unsigned line, const char *function)
{
  if (!hd_self)
    REAL(__assert_perror_fail)(error, file, line, function);
  char text[64];
  print_text(text, sizeof text, "unexpected error %d", error);
  __assert_fail(text, file, line, function);
}

/* The last line before `end` that the program wrote, cut; *end is then where it begins. */
static void line_before(uint64_t *end, char *out, size_t size)
{
  const char *text = CONTROL_AT(rt.control, CONTROL_OUTPUT_OFFSET);
  while (*end && text[*end - 1] == '\n')
    (*end)--;
  uint64_t start = *end;
  while (start && text[start - 1] != '\n')
    start--;
  size_t n = *end - start < size - 1 ? *end - start : size - 1;
  copy_bytes(out, text + start, n);
  out[n] = 0;
  *end = start;
}

/* What stands behind a beginning; NULL: the text has another. */
static char *behind(char *text, const char *beginning)
{
  for (; *beginning; text++, beginning++)
    if (*text != *beginning)
      return NULL;
  return text;
}

/* Most programs that abort say why, in the last line they write; of an exception that nobody catches libstdc++ says it
 * in two. */
static void reason_to_abort(char *out, size_t size)
{
  char last[200], before[200];
  uint64_t end = rt.control->output_bytes;
  line_before(&end, last, sizeof last);
  line_before(&end, before, sizeof before);
  const char *thrown = "terminate called after throwing an instance of '";
  char *what = behind(last, "  what():  "), *type = behind(what ? before : last, thrown);
  if (!type) {
    print_text(out, size, last[0] ? "abort: %s" : "abort", last);
    return;
  }
  for (char *c = type; *c; c++)
    if (*c == '\'')
      *c = 0;
  print_text(out, size, what ? "uncaught exception %s: %s" : "uncaught exception %s", type, what);
}

EXPORT void abort(void)
{
  if (!hd_self)
    REAL(abort)();
  test_failed_as_printed();
  if (has_handler(SIGABRT))
    send_to_self(SIGABRT);
  uintptr_t stack[BUG_STACK];
  unsigned depth = unwind_stack(stack, BUG_STACK);
  uintptr_t pc = CALLER();
  for (unsigned i = 0; i < depth; i++)
    if (in_program(stack[i])) {
      pc = stack[i];
      break;
    }
  char reason[320];
  reason_to_abort(reason, sizeof reason);
  struct bug *bug = bug_new(rt.engine, BUG_CRASH, bug_key_of(rt.engine, BUG_CRASH, pc, 6));
  bug->detail = 6;
  bug_text(bug, "%s", reason);
  bug_add_party(rt.engine, bug, self_index(), OP_NONE, 0, 0, in_image(pc));
  bug_stack(bug);
  bug_declare(rt.engine, bug);
  execution_end();
}

/* ---- the end ---- */

EXPORT void _exit(int status)
{
  if (hd_self)
    execution_exit(status & 255);
  REAL(_exit)(status);
  __builtin_unreachable();
}

EXPORT void _Exit(int status)
{
  _exit(status);
}

/* A child of the program's own is not ours to schedule: it goes on as an ordinary process. */
static void leave_child(void)
{
  if (hd_own.filter)
    return; /* its system call was seen, and it is one of ours */
  if (hd_self)
    hd_own.embedded = true;
  hd_self = NULL;
}

EXPORT pid_t fork(void)
{
  if (hd_self && hd_own.filter)
    process_fork_begins(CALLER());
  pid_t pid = REAL(fork)();
  if (pid == 0)
    leave_child(); /* where the handler below is not registered: a program that explores itself */
  return pid;
}

/* Before the program's own handlers, which run in the child too. */
void program_watch_forks(void)
{
  pthread_atfork(NULL, NULL, leave_child);
}

/* ---- ids and randomness ---- */

EXPORT pid_t getpid(void)
{
  return hd_self && hd_own.filter ? process_id(hd_own.process) : (pid_t)sys(SYS_getpid);
}

EXPORT pid_t getppid(void)
{
  return hd_self && hd_own.filter ? (pid_t)syscall(SYS_getppid) : (pid_t)sys(SYS_getppid);
}

EXPORT pid_t gettid(void)
{
  if (!hd_self)
    return (pid_t)sys(SYS_gettid);
  self_thread()->told_apart = true;
  return (pid_t)(VIRTUAL_PID + self_index());
}

/* One sequence of many that could come. */
static uint64_t random_number(void)
{
  lose(LOST_CHANCE);
  return rng_next(&rt.random);
}

void random_bytes(void *to, size_t size)
{
  unsigned char *out = to;
  for (size_t i = 0; i < size; i++)
    out[i] = (unsigned char)random_number();
}

EXPORT ssize_t getrandom(void *to, size_t size, unsigned flags)
{
  if (!hd_self)
    return REAL(getrandom)(to, size, flags);
  random_bytes(to, size);
  return (ssize_t)size;
}

EXPORT int getentropy(void *to, size_t size)
{
  if (!hd_self)
    return REAL(getentropy)(to, size);
  if (size > 256) {
    errno = EIO;
    return -1;
  }
  random_bytes(to, size);
  return 0;
}

EXPORT uint32_t arc4random(void)
{
  return hd_self ? (uint32_t)random_number() : REAL(arc4random)();
}

EXPORT void arc4random_buf(void *to, size_t size)
{
  if (hd_self)
    random_bytes(to, size);
  else
    REAL(arc4random_buf)(to, size);
}

EXPORT uint32_t arc4random_uniform(uint32_t limit)
{
  if (!hd_self)
    return REAL(arc4random_uniform)(limit);
  return limit < 2 ? 0 : (uint32_t)(random_number() % limit);
}

/* What std::random_device gives: the processor's own random numbers otherwise. */
unsigned random_device_value(void *device) __asm__("_ZNSt13random_device9_M_getvalEv");

EXPORT unsigned random_device_value(void *device)
{
  static unsigned (*real)(void *);
  if (hd_self)
    return (unsigned)random_number();
  if (!real)
    real = (unsigned (*)(void *))real_symbol("_ZNSt13random_device9_M_getvalEv");
  return real(device);
}

/* Sixteen random bytes that the kernel leaves to every program: the same ones in every process. */
static void settle_random_bytes(void)
{
  unsigned char *bytes = (unsigned char *)REAL(getauxval)(AT_RANDOM);
  for (int i = 0; bytes && i < 16; i++)
    bytes[i] = (unsigned char)mix64((uint64_t)i);
}

EXPORT unsigned long getauxval(unsigned long type)
{
  if (hd_self && type == AT_RANDOM)
    lose(LOST_CHANCE);
  return REAL(getauxval)(type);
}

/* There may be others. */
EXPORT int sched_getcpu(void)
{
  if (!hd_self)
    return REAL(sched_getcpu)();
  lose(LOST_MACHINE);
  return 0;
}

/* ---- syscall() ---- */

/* To the kernel users and groups are a thread's own. libc's functions change those of all; here there is one thread. */
static void refuse_change_of_one_thread(long number, uintptr_t pc)
{
  static const short changes[] = {SYS_setuid,    SYS_setgid,    SYS_setreuid, SYS_setregid, SYS_setresuid,
                                  SYS_setresgid, SYS_setgroups, SYS_setfsuid, SYS_setfsgid, SYS_capset};
  if (rt.engine->threads > 1 && LISTED(number, changes))
    fail(pc, "a thread changes its user, group or capabilities alone (%s() by syscall()); heddle cannot do that",
         system_call_name(number));
}

EXPORT long syscall(long number, ...)
{
  va_list args;
  va_start(args, number);
  long arg[6];
  for (int i = 0; i < 6; i++)
    arg[i] = va_arg(args, long);
  va_end(args);
  if (hd_self)
    refuse_change_of_one_thread(number, CALLER());
  long result = hd_self ? system_call(number, arg, CALLER()) : sys_array(number, arg);
  if (result >= 0 || result < -4095)
    return result;
  errno = (int)-result;
  return -1;
}
