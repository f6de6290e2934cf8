/* SPDX-License-Identifier: Apache-2.0
 *
 * Finding callers; see callers.h. Only the near call is looked for, without disassembling: five bytes that happen to be
 * one name a function too many, which does no harm.
 */
#include "debuginfo/callers.h"
#include <fcntl.h>
#include <gelf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CALL 0xe8
#define CALL_BYTES 5u

struct caller_search {
  Elf *elf;
  const uint64_t *function;
  size_t functions;
  struct code_range *found;
  size_t count;
};

static bool is_wanted(const struct caller_search *s, uint64_t address)
{
  for (size_t i = 0; i < s->functions; i++)
    if (s->function[i] == address)
      return true;
  return false;
}

/* Whether code that begins at that address has a call of one of the functions. */
static bool calls_wanted(const struct caller_search *s, const unsigned char *code, size_t bytes, uint64_t address)
{
  for (size_t at = 0; at + CALL_BYTES <= bytes; at++) {
    int32_t distance;
    memcpy(&distance, code + at + 1, sizeof distance);
    if (code[at] == CALL && is_wanted(s, address + at + CALL_BYTES + (uint64_t)(int64_t)distance))
      return true;
  }
  return false;
}

static bool is_caller(const struct caller_search *s, const GElf_Sym *symbol)
{
  GElf_Shdr header;
  Elf_Scn *section = elf_getscn(s->elf, symbol->st_shndx);
  const Elf_Data *data = section ? elf_rawdata(section, NULL) : NULL;
  if (!data || !data->d_buf || !gelf_getshdr(section, &header) || symbol->st_value < header.sh_addr)
    return false;
  uint64_t at = symbol->st_value - header.sh_addr;
  if (at > data->d_size || symbol->st_size > data->d_size - at)
    return false;
  return calls_wanted(s, (const unsigned char *)data->d_buf + at, symbol->st_size, symbol->st_value);
}

static void add(struct caller_search *s, const GElf_Sym *symbol)
{
  for (size_t i = 0; i < s->count; i++)
    if (s->found[i].low == symbol->st_value)
      return; /* by another name */
  struct code_range *grown = realloc(s->found, (s->count + 1) * sizeof *grown);
  if (!grown)
    return;
  s->found = grown;
  grown[s->count++] = (struct code_range){symbol->st_value, symbol->st_value + symbol->st_size};
}

static void read_symbols(struct caller_search *s, Elf_Scn *section, const GElf_Shdr *header)
{
  Elf_Data *data = elf_getdata(section, NULL);
  for (int i = 0; data && header->sh_entsize && i < (int)(header->sh_size / header->sh_entsize); i++) {
    GElf_Sym symbol;
    if (gelf_getsym(data, i, &symbol) && GELF_ST_TYPE(symbol.st_info) == STT_FUNC && symbol.st_shndx != SHN_UNDEF &&
        is_caller(s, &symbol))
      add(s, &symbol);
  }
}

struct code_range *callers_of(const char *program, const uint64_t *function, size_t functions, size_t *count)
{
  struct caller_search s = {.function = function, .functions = functions};
  int fd = open(program, O_RDONLY | O_CLOEXEC);
  s.elf = fd >= 0 && elf_version(EV_CURRENT) != EV_NONE ? elf_begin(fd, ELF_C_READ, NULL) : NULL;
  for (Elf_Scn *section = NULL; s.elf && (section = elf_nextscn(s.elf, section));) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) && header.sh_type == SHT_SYMTAB)
      read_symbols(&s, section, &header);
  }
  elf_end(s.elf);
  if (fd >= 0)
    close(fd);
  *count = s.count;
  return s.found;
}
