/* SPDX-License-Identifier: Apache-2.0
 *
 * Patching programs; see patches.h.
 */
#include "watch/patches.h"
#include "core/sled.h"
#include "core/system_library.h"
#include "core/without_libc.h"
#include <link.h>
#include <sys/mman.h>

#define PAGE UINT64_C(4096)
#define STUB 48 /* bytes */
#define NEAR (UINT64_C(1) << 30)

static int note_program(struct dl_phdr_info *info, size_t size, void *out)
{
  (void)size;
  *(struct dl_phdr_info *)out = *info;
  return 1; /* the program itself comes first */
}

/* A mapping that near calls of the program reach. */
static char *map_near(const struct patching *p, const struct dl_phdr_info *program)
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
      if (p->map(at, p->stub_bytes))
        return (char *)at;
    }
  return NULL;
}

static bool is_within(const struct dl_phdr_info *info, uintptr_t addr)
{
  for (int i = 0; i < info->dlpi_phnum; i++)
    if (info->dlpi_phdr[i].p_type == PT_LOAD &&
        addr - (info->dlpi_addr + info->dlpi_phdr[i].p_vaddr) < info->dlpi_phdr[i].p_memsz)
      return true;
  return false;
}

uintptr_t program_base(void)
{
  struct dl_phdr_info program = {0};
  dl_iterate_phdr(note_program, &program);
  return program.dlpi_addr;
}

bool is_in_program(uintptr_t addr)
{
  struct dl_phdr_info program = {0};
  dl_iterate_phdr(note_program, &program);
  return is_within(&program, addr);
}

bool patches_begin(struct patching *p, uint32_t stubs)
{
  struct dl_phdr_info program = {0};
  p->stub_bytes = (stubs * STUB + PAGE - 1) & ~(PAGE - 1);
  dl_iterate_phdr(note_program, &program);
  p->base = program.dlpi_addr;
  p->stubs = map_near(p, &program);
  return p->stubs;
}

void patches_end(struct patching *p)
{
  p->protect((uintptr_t)p->stubs, p->stub_bytes, PROT_READ | PROT_EXEC);
}

static unsigned char *stub_of(const struct patching *p, uint32_t number)
{
  return (unsigned char *)p->stubs + (size_t)(number - 1) * STUB;
}

/* push $function; jmp *target */
static void write_stub(unsigned char *stub, uint32_t function)
{
  unsigned char code[STUB] = {[0] = 0x68, [5] = 0xff, [6] = 0x25};
  const char *target = watch_entry;
  copy_bytes(code + 1, &function, 4);
  copy_bytes(code + 11, &target, sizeof target);
  copy_bytes(stub, code, sizeof code);
}

bool patch_function(struct patching *p, uint32_t number, unsigned char *sled)
{
  uintptr_t page = (uintptr_t)sled & ~(PAGE - 1), end = ((uintptr_t)sled + SLED + PAGE - 1) & ~(PAGE - 1);
  int32_t distance = (int32_t)(stub_of(p, number) - (sled + SLED));
  if (!is_sled(sled))
    return true;
  write_stub(stub_of(p, number), number);
  if (!p->protect(page, end - page, PROT_READ | PROT_WRITE | PROT_EXEC))
    return false;
  unsigned char call[SLED] = {0xe8};
  copy_bytes(call + 1, &distance, 4);
  copy_bytes(sled, call, sizeof call);
  return p->protect(page, end - page, PROT_READ | PROT_EXEC);
}

/* ---- functions of libraries ----
 *
 * Where a module of the program keeps the address of the function, that of a stub is put, which goes on there as if the
 * function had been called from where the stub was. */

struct slots {
  const struct patching *patching;
  const char *name;
  unsigned char *stub;
  uint32_t number;
  uintptr_t target; /* what was there, 0 as long as there was none */
  bool refused;
};

/* push target; push $function; jmp *entry */
static void write_library_stub(unsigned char *stub, uint32_t function, uintptr_t target)
{
  unsigned char code[STUB] = {[0] = 0xff, [1] = 0x35, [2] = 11, [6] = 0x68, [11] = 0xff, [12] = 0x25, [13] = 8};
  const char *entry = watch_entry;
  copy_bytes(code + 7, &function, 4);
  copy_bytes(code + 17, &target, sizeof target);
  copy_bytes(code + 25, &entry, sizeof entry);
  copy_bytes(stub, code, sizeof code);
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

/* A slot that was not used yet leads into its own module, and would be filled in by its first use. */
static void replace_slot(const struct dl_phdr_info *info, struct slots *s, uintptr_t *slot)
{
  uintptr_t page = (uintptr_t)slot & ~(PAGE - 1), target = *slot;
  if (s->patching->resolve && is_within(info, target))
    target = s->patching->resolve(s->name);
  if (!s->target) {
    s->target = target;
    write_library_stub(s->stub, s->number, s->target);
  }
  if (target != s->target)
    return;
  if (is_read_only(info, (uintptr_t)slot) && !s->patching->protect(page, PAGE, PROT_READ | PROT_WRITE)) {
    s->refused = true;
    return;
  }
  *slot = (uintptr_t)s->stub;
  if (is_read_only(info, (uintptr_t)slot))
    s->patching->protect(page, PAGE, PROT_READ);
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
  return !is_within(info, (uintptr_t)watch_entry) && (!info->dlpi_name[0] || !is_system_library(info->dlpi_name));
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

bool patch_library(struct patching *p, uint32_t number, const char *name)
{
  struct slots s = {.patching = p, .name = name, .stub = stub_of(p, number), .number = number};
  dl_iterate_phdr(replace_in_module, &s);
  return !s.refused;
}
