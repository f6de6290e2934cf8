/* SPDX-License-Identifier: Apache-2.0
 *
 * Finding call sites: relocations tell which slot of the global offset table holds which function, the stubs of the
 * procedure linkage table jump through slots, and code calls stubs or slots. Only two forms of instructions are looked
 * for, without disassembling; four bytes that happen to be the distance to a slot or a stub are unlikely
 * enough. */
#include "debuginfo/call_sites.h"
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum callee { CALLEE_OTHER, CALLEE_CALL, CALLEE_ACCESS };

/* An address that stands for a function: a slot, or a stub. */
struct door {
  uint64_t addr;
  enum callee callee;
};

struct code_scan {
  Elf *elf;
  struct door *doors;
  struct call_site *sites;
  size_t door_count, site_count, door_room, site_room;
  bool failed;
};

static enum callee callee_of(const char *name)
{
  static const struct {
    const char *prefix;
    enum callee callee;
  } table[] = {
      {"__tsan_read", CALLEE_ACCESS},
      {"__tsan_write", CALLEE_ACCESS},
      {"__tsan_atomic", CALLEE_ACCESS},
      {"__heddle_atomic", CALLEE_ACCESS},
      {"__tsan_unaligned_", CALLEE_ACCESS},
      {"__tsan_volatile_", CALLEE_ACCESS},
      {"__heddle_barrier", CALLEE_CALL},
      {"pthread_mutex_", CALLEE_CALL},
      {"pthread_cond_", CALLEE_CALL},
      {"pthread_rwlock_", CALLEE_CALL},
      {"pthread_spin_", CALLEE_CALL},
      {"pthread_barrier_", CALLEE_CALL},
      {"pthread_create", CALLEE_CALL},
      {"pthread_join", CALLEE_CALL},
      {"pthread_once", CALLEE_CALL},
      {"sem_", CALLEE_CALL},
      {"mtx_", CALLEE_CALL},
      {"cnd_", CALLEE_CALL},
      {"thrd_", CALLEE_CALL},
      {"call_once", CALLEE_CALL},
      {"sched_yield", CALLEE_CALL},
      {"hd__event", CALLEE_CALL},
      {"hd__choose", CALLEE_CALL},
      {"hd__yield", CALLEE_CALL},
  };
  for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
    if (!strncmp(name, table[i].prefix, strlen(table[i].prefix)))
      return table[i].callee;
  return CALLEE_OTHER;
}

/* Room for one more of size bytes. */
static bool grow(struct code_scan *s, void **list, size_t count, size_t *room, size_t size)
{
  if (count < *room)
    return true;
  size_t more = *room ? 2 * *room : 256;
  void *grown = realloc(*list, more * size);
  s->failed |= !grown;
  if (!grown)
    return false;
  *list = grown;
  *room = more;
  return true;
}

static void add_door(struct code_scan *s, uint64_t addr, enum callee callee)
{
  if (callee != CALLEE_OTHER && grow(s, (void **)&s->doors, s->door_count, &s->door_room, sizeof *s->doors))
    s->doors[s->door_count++] = (struct door){addr, callee};
}

static int by_address(const void *a, const void *b)
{
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b; /* the first member of both structures */
  return x < y ? -1 : x > y;
}

static enum callee behind(const struct code_scan *s, uint64_t addr)
{
  const struct door *d = s->door_count ? bsearch(&addr, s->doors, s->door_count, sizeof *s->doors, by_address) : NULL;
  return d ? d->callee : CALLEE_OTHER;
}

static void read_relocations(struct code_scan *s, Elf_Scn *section, const GElf_Shdr *header)
{
  GElf_Shdr symbols;
  Elf_Scn *linked = elf_getscn(s->elf, header->sh_link);
  Elf_Data *data = elf_getdata(section, NULL), *names = linked ? elf_getdata(linked, NULL) : NULL;
  if (!data || !names || !gelf_getshdr(linked, &symbols) || !header->sh_entsize)
    return;
  for (int i = 0; i < (int)(header->sh_size / header->sh_entsize); i++) {
    GElf_Rela relocation;
    GElf_Sym symbol;
    if (!gelf_getrela(data, i, &relocation) || !gelf_getsym(names, (int)GELF_R_SYM(relocation.r_info), &symbol))
      continue;
    const char *name = elf_strptr(s->elf, symbols.sh_link, symbol.st_name);
    uint64_t type = GELF_R_TYPE(relocation.r_info);
    if (name && (type == R_X86_64_JUMP_SLOT || type == R_X86_64_GLOB_DAT))
      add_door(s, relocation.r_offset, callee_of(name));
  }
}

/* Where an instruction of the two bytes `first` and `second` with a 32-bit distance at `at` leads. */
static bool leads_to(const unsigned char *code, size_t size, size_t at, unsigned first, int second, uint64_t next,
                     uint64_t *to)
{
  size_t length = second < 0 ? 5 : 6;
  int32_t distance;
  if (at + length > size || code[at] != first || (second >= 0 && code[at + 1] != (unsigned)second))
    return false;
  memcpy(&distance, code + at + length - 4, 4);
  *to = next + (uint64_t)(int64_t)distance;
  return true;
}

/* jmp *slot(%rip), perhaps behind endbr64 or a bnd prefix. */
static void read_stubs(struct code_scan *s, const unsigned char *code, size_t size, uint64_t addr)
{
  static const unsigned char endbr[] = {0xf3, 0x0f, 0x1e, 0xfa};
  size_t slots = s->door_count;
  uint64_t slot;
  for (size_t at = 0; at < size; at++) {
    if (!leads_to(code, size, at, 0xff, 0x25, addr + at + 6, &slot))
      continue;
    struct code_scan known = {.doors = s->doors, .door_count = slots};
    enum callee callee = behind(&known, slot);
    size_t start = at > 0 && code[at - 1] == 0xf2 ? at - 1 : at;
    if (start >= sizeof endbr && !memcmp(code + start - sizeof endbr, endbr, sizeof endbr))
      start -= sizeof endbr;
    add_door(s, addr + start, callee);
  }
}

/* call stub, call *slot(%rip) */
static void read_calls(struct code_scan *s, const unsigned char *code, size_t size, uint64_t addr)
{
  uint64_t to;
  for (size_t at = 0; at < size; at++) {
    enum callee callee = CALLEE_OTHER;
    uint64_t back = addr + at + 5;
    if (leads_to(code, size, at, 0xe8, -1, back, &to))
      callee = behind(s, to);
    else if (leads_to(code, size, at, 0xff, 0x15, addr + at + 6, &to)) {
      callee = behind(s, to);
      back++;
    }
    if (callee != CALLEE_OTHER && grow(s, (void **)&s->sites, s->site_count, &s->site_room, sizeof *s->sites))
      s->sites[s->site_count++] = (struct call_site){back, callee == CALLEE_ACCESS};
  }
}

enum pass { PASS_RELOCATIONS, PASS_STUBS, PASS_CALLS, PASSES };

static void read_section(struct code_scan *s, Elf_Scn *section, enum pass pass, size_t names)
{
  GElf_Shdr header;
  if (!gelf_getshdr(section, &header))
    return;
  if (header.sh_type == SHT_RELA && pass == PASS_RELOCATIONS)
    read_relocations(s, section, &header);
  if (header.sh_type != SHT_PROGBITS || !(header.sh_flags & SHF_EXECINSTR) || pass == PASS_RELOCATIONS)
    return;
  const char *name = elf_strptr(s->elf, names, header.sh_name);
  bool stubs = name && !strncmp(name, ".plt", 4);
  const Elf_Data *data = elf_rawdata(section, NULL);
  if (!data || !data->d_buf || stubs != (pass == PASS_STUBS))
    return;
  if (stubs)
    read_stubs(s, data->d_buf, data->d_size, header.sh_addr);
  else
    read_calls(s, data->d_buf, data->d_size, header.sh_addr);
}

static void scan_file(struct code_scan *s)
{
  size_t names;
  if (elf_getshdrstrndx(s->elf, &names) != 0)
    return;
  for (enum pass pass = 0; pass < PASSES && !s->failed; pass++) {
    for (Elf_Scn *section = NULL; (section = elf_nextscn(s->elf, section));)
      read_section(s, section, pass, names);
    if (s->door_count)
      qsort(s->doors, s->door_count, sizeof *s->doors, by_address);
  }
}

struct call_site *call_sites(const char *program, size_t *count)
{
  struct code_scan s = {0};
  int fd = open(program, O_RDONLY | O_CLOEXEC);
  *count = 0;
  if (fd < 0 || elf_version(EV_CURRENT) == EV_NONE)
    return NULL;
  s.elf = elf_begin(fd, ELF_C_READ, NULL);
  if (s.elf)
    scan_file(&s);
  elf_end(s.elf);
  close(fd);
  free(s.doors);
  if (s.failed || !s.site_count) {
    free(s.sites);
    return NULL;
  }
  qsort(s.sites, s.site_count, sizeof *s.sites, by_address);
  *count = s.site_count;
  return s.sites;
}
