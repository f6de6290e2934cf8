/* SPDX-License-Identifier: Apache-2.0
 *
 * The functions that the kernel puts into every process (vDSO) tell the time without a system call, and libc uses them
 * past its own interface: names of temporary files are made from the clock, for one. Where libc keeps their addresses,
 * those of functions of ours are put, which make the system call, so that nobody sees the machine's clock or processor.
 * (The code itself may be sealed.)
 */
#include "worlds/threads/system/vdso.h"
#include "core/system_library.h"
#include "core/without_libc.h"
#include "worlds/threads/system/call.h"
#include <elf.h>
#include <errno.h>
#include <link.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#define PAGE 4096

/* ---- what stands there instead ---- */

static long make(long number, long a, long b, long c, uintptr_t pc)
{
  const long arg[6] = {a, b, c};
  return hd_self ? system_call(number, arg, pc) : sys(number, a, b, c);
}

/* libc makes names of temporary files of it: any other would have been as good. */
static long own_clock_gettime(long clock, long out)
{
  if (hd_self)
    lose(LOST_CHANCE);
  return make(SYS_clock_gettime, clock, out, 0, CALLER());
}

static long own_clock_getres(long clock, long out)
{
  return make(SYS_clock_getres, clock, out, 0, CALLER());
}

static long own_gettimeofday(long out, long zone)
{
  return make(SYS_gettimeofday, out, zone, 0, CALLER());
}

static long own_time(long out)
{
  return make(SYS_time, out, 0, 0, CALLER());
}

static long own_getcpu(long cpu, long node, long unused)
{
  return make(SYS_getcpu, cpu, node, unused, CALLER());
}

/* Then libc makes the call itself. */
static long own_getrandom(void)
{
  return -ENOSYS;
}

static const struct {
  const char *name;
  void *own;
} functions[] = {
    {"__vdso_clock_gettime", own_clock_gettime},
    {"__vdso_gettimeofday", own_gettimeofday},
    {"__vdso_clock_getres", own_clock_getres},
    {"__vdso_time", own_time},
    {"__vdso_getcpu", own_getcpu},
    {"__vdso_getrandom", own_getrandom},
};

#define FUNCTIONS (sizeof functions / sizeof *functions)
static uintptr_t theirs[FUNCTIONS]; /* 0: the kernel has none of that name */

/* ---- where they are ---- */

struct tables {
  const Elf64_Sym *symbol;
  const char *name;
};

static struct tables tables_of(const unsigned char *base)
{
  const Elf64_Ehdr *header = (const Elf64_Ehdr *)base;
  const Elf64_Phdr *part = (const Elf64_Phdr *)(base + header->e_phoff);
  struct tables t = {0};
  for (unsigned i = 0; i < header->e_phnum; i++) {
    if (part[i].p_type != PT_DYNAMIC)
      continue;
    for (const Elf64_Dyn *d = (const Elf64_Dyn *)(base + part[i].p_offset); d->d_tag != DT_NULL; d++) {
      t.symbol = d->d_tag == DT_SYMTAB ? (const Elf64_Sym *)(base + d->d_un.d_ptr) : t.symbol;
      t.name = d->d_tag == DT_STRTAB ? (const char *)(base + d->d_un.d_ptr) : t.name;
    }
  }
  return t;
}

/* The table of names follows that of symbols: their number is the distance. */
static size_t count_of(const struct tables *t)
{
  uintptr_t from = (uintptr_t)t->symbol, to = (uintptr_t)t->name;
  return to > from ? (to - from) / sizeof(Elf64_Sym) : 0;
}

static void find_functions(const unsigned char *base)
{
  struct tables t = tables_of(base);
  for (size_t i = 0; t.symbol && t.name && i < count_of(&t); i++)
    for (size_t f = 0; f < FUNCTIONS; f++)
      if (t.symbol[i].st_value && !text_compare(t.name + t.symbol[i].st_name, functions[f].name))
        theirs[f] = (uintptr_t)base + t.symbol[i].st_value;
}

/* ---- who has their addresses ---- */

static void replace_in(uintptr_t start, uintptr_t end)
{
  for (uintptr_t *word = (uintptr_t *)((start + 7) & ~(uintptr_t)7); (uintptr_t)(word + 1) <= end; word++)
    for (size_t f = 0; f < FUNCTIONS; f++) {
      if (!theirs[f] || *word != theirs[f])
        continue;
      if (!sys(SYS_mprotect, (uintptr_t)word & ~(uintptr_t)(PAGE - 1), PAGE, PROT_READ | PROT_WRITE))
        *word = (uintptr_t)functions[f].own;
    }
}

/* Data of libc and the dynamic linker, whose constants may be written once more. */
static int look_in_module(struct dl_phdr_info *module, size_t size, void *unused)
{
  (void)size, (void)unused;
  if (!is_system_library(module->dlpi_name))
    return 0;
  for (unsigned i = 0; i < module->dlpi_phnum; i++) {
    const Elf64_Phdr *part = &module->dlpi_phdr[i];
    if (part->p_type == PT_LOAD && part->p_flags & PF_W)
      replace_in(module->dlpi_addr + part->p_vaddr, module->dlpi_addr + part->p_vaddr + part->p_memsz);
  }
  return 0;
}

void vdso_boot(void)
{
  const unsigned char *base = (const unsigned char *)getauxval(AT_SYSINFO_EHDR);
  if (!base)
    return;
  find_functions(base);
  dl_iterate_phdr(look_in_module, NULL);
}
