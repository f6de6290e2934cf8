/* SPDX-License-Identifier: Apache-2.0
 *
 * References to functions; see references.h. Bytes of code that only look like a reference count as one: nothing is
 * said of such a function, which is right, too.
 */
#include "debuginfo/references.h"
#include "core/system_library.h"
#include <fcntl.h>
#include <gelf.h>
#include <string.h>
#include <unistd.h>

#define PAD 4 /* bytes of a landing pad, in front of the room for a call */

struct references {
  Elf *elf;
  const struct control_config *config;
  bool *may_happen;
  bool open_end;        /* libraries that are not the system's may call what they like */
  uint64_t low, high;   /* of the functions */
  uint64_t list, after; /* of the rooms for calls, which has the address of every function */
};

static void note(struct references *r, uint64_t addr)
{
  if (addr < r->low || addr > r->high)
    return;
  for (uint32_t i = 0; i < r->config->calls; i++) {
    uint64_t sled = r->config->call[i].sled;
    r->may_happen[i] |= sled && (addr == sled || addr == sled - PAD);
  }
}

static void read_code(struct references *r, const Elf_Data *data, uint64_t addr)
{
  const char *bytes = data->d_buf;
  for (size_t i = 0; bytes && i + 4 <= data->d_size; i++) {
    int32_t word;
    memcpy(&word, bytes + i, sizeof word);
    note(r, addr + i + 4 + (uint64_t)(int64_t)word);
    note(r, (uint32_t)word);
  }
}

static void read_words(struct references *r, const Elf_Data *data)
{
  const char *bytes = data->d_buf;
  for (size_t i = 0; bytes && i + 8 <= data->d_size; i += 8) {
    uint64_t word;
    memcpy(&word, bytes + i, sizeof word);
    note(r, word);
  }
}

static void read_relocations(struct references *r, Elf_Data *data, const GElf_Shdr *header)
{
  for (int i = 0; header->sh_entsize && i < (int)(header->sh_size / header->sh_entsize); i++) {
    GElf_Rela relocation;
    if (gelf_getrela(data, i, &relocation) && (relocation.r_offset < r->list || relocation.r_offset >= r->after))
      note(r, (uint64_t)relocation.r_addend);
  }
}

static bool is_named(const char *symbol, const char *name)
{
  size_t length = strcspn(symbol, "@");
  return strlen(name) == length && !strncmp(symbol, name, length);
}

/* What the program has from libraries, and what they may have from it. */
static void read_dynamic_symbols(struct references *r, Elf_Data *data, const GElf_Shdr *header)
{
  for (int i = 0; header->sh_entsize && i < (int)(header->sh_size / header->sh_entsize); i++) {
    GElf_Sym symbol;
    const char *text = gelf_getsym(data, i, &symbol) ? elf_strptr(r->elf, header->sh_link, symbol.st_name) : NULL;
    if (text && symbol.st_shndx != SHN_UNDEF)
      note(r, symbol.st_value);
    r->open_end |= text && (is_named(text, "dlopen") || is_named(text, "dlsym"));
    for (uint32_t k = 0; text && symbol.st_shndx == SHN_UNDEF && k < r->config->calls; k++)
      r->may_happen[k] |= !r->config->call[k].sled && is_named(text, r->config->call[k].name);
  }
}

static void read_needed(struct references *r, Elf_Data *data, const GElf_Shdr *header)
{
  for (int i = 0; header->sh_entsize && i < (int)(header->sh_size / header->sh_entsize); i++) {
    GElf_Dyn entry;
    const char *name = gelf_getdyn(data, i, &entry) && entry.d_tag == DT_NEEDED
                           ? elf_strptr(r->elf, header->sh_link, entry.d_un.d_val)
                           : NULL;
    r->open_end |= name && !is_system_library(name);
  }
}

static void read_section(struct references *r, Elf_Scn *section, const GElf_Shdr *header, const char *name)
{
  Elf_Data *data = header->sh_flags & SHF_ALLOC && header->sh_type != SHT_NOBITS ? elf_getdata(section, NULL) : NULL;
  if (!data)
    return;
  if (header->sh_type == SHT_DYNSYM)
    read_dynamic_symbols(r, data, header);
  else if (header->sh_type == SHT_DYNAMIC)
    read_needed(r, data, header);
  else if (header->sh_type == SHT_RELA)
    read_relocations(r, data, header);
  else if (header->sh_flags & SHF_EXECINSTR)
    read_code(r, data, header->sh_addr);
  else if (header->sh_type != SHT_PROGBITS || (strncmp(name, ".eh_frame", 9) != 0 && header->sh_addr != r->list))
    read_words(r, data);
}

typedef void section_reader(struct references *r, Elf_Scn *section, const GElf_Shdr *header, const char *name);

static void each_section(struct references *r, section_reader *read)
{
  size_t names;
  if (elf_getshdrstrndx(r->elf, &names) != 0)
    return;
  for (Elf_Scn *section = NULL; (section = elf_nextscn(r->elf, section));) {
    GElf_Shdr header;
    const char *name = gelf_getshdr(section, &header) ? elf_strptr(r->elf, names, header.sh_name) : NULL;
    if (name)
      read(r, section, &header, name);
  }
}

static void find_list(struct references *r, Elf_Scn *section, const GElf_Shdr *header, const char *name)
{
  (void)section;
  if (strcmp(name, "__patchable_function_entries") != 0)
    return;
  r->list = header->sh_addr;
  r->after = header->sh_addr + header->sh_size;
}

void find_references(const char *program, const struct control_config *config, bool may_happen[WATCHED_CALLS])
{
  struct references r = {.config = config, .may_happen = may_happen, .low = UINT64_MAX};
  memset(may_happen, 0, WATCHED_CALLS * sizeof *may_happen);
  for (uint32_t i = 0; i < config->calls; i++)
    if (config->call[i].sled) {
      r.low = config->call[i].sled - PAD < r.low ? config->call[i].sled - PAD : r.low;
      r.high = config->call[i].sled > r.high ? config->call[i].sled : r.high;
    }
  int fd = open(program, O_RDONLY | O_CLOEXEC);
  elf_version(EV_CURRENT);
  r.elf = fd < 0 ? NULL : elf_begin(fd, ELF_C_READ, NULL);
  if (r.elf) {
    each_section(&r, find_list);
    each_section(&r, read_section);
  }
  for (uint32_t i = 0; i < config->calls; i++) /* of a library's, and those that say so by themselves */
    may_happen[i] |= !r.elf || (!config->call[i].sled && (r.open_end || !config->call[i].in_library));
  elf_end(r.elf);
  if (fd >= 0)
    close(fd);
}
