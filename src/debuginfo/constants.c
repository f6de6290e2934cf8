/* SPDX-License-Identifier: Apache-2.0
 *
 * Data that nobody can write: string literals, tables, vtables. It is known by the sections of the program's
 * files. */
#include "debuginfo/symbols_internal.h"

#include <ctype.h>
#include <gelf.h>
#include <string.h>

#define LITERAL_MAX 40

/* The section of an address, when nobody can write there once the program runs. */
static Elf_Scn *constant_section(struct symbols *s, uintptr_t addr, GElf_Shdr *header, uint64_t *offset)
{
  struct module *m = module_of(s, addr);
  Dwarf_Addr at = addr;
  GElf_Addr bias;
  size_t strings;
  Elf_Scn *section = m ? dwfl_module_address_section(m->dwfl, &at, &bias) : NULL;
  Elf *elf = section ? dwfl_module_getelf(m->dwfl, &bias) : NULL;
  if (!elf || !gelf_getshdr(section, header) || elf_getshdrstrndx(elf, &strings) != 0)
    return NULL;
  const char *name = elf_strptr(elf, strings, header->sh_name);
  *offset = at;
  if (header->sh_flags & SHF_WRITE && !(name && strncmp(name, ".data.rel.ro", 12) == 0))
    return NULL;
  return section;
}

bool symbols_is_constant(struct symbols *s, uintptr_t addr)
{
  GElf_Shdr header;
  uint64_t offset;
  return constant_section(s, addr, &header, &offset) != NULL;
}

/* The string literal an offset of a section is in, in quotes. False when it is no text. */
static bool literal(Elf_Scn *section, uint64_t offset, struct text_buffer *name)
{
  Elf_Data *data = elf_getdata(section, NULL);
  const char *bytes = data ? data->d_buf : NULL;
  uint64_t start = offset, end = offset;
  if (!bytes || offset >= data->d_size)
    return false;
  while (start > 0 && isprint((unsigned char)bytes[start - 1]))
    start--;
  while (end < data->d_size && isprint((unsigned char)bytes[end]))
    end++;
  const uint64_t length = end - start;
  if (end == data->d_size || bytes[end] != '\0' || length < 2)
    return false;
  text_add(name, "\"%.*s%s\"", (int)(length < LITERAL_MAX ? length : LITERAL_MAX), bytes + start,
           length > LITERAL_MAX ? "…" : "");
  return true;
}

bool constant_text(struct symbols *s, uintptr_t addr, struct text_buffer *name)
{
  GElf_Shdr header;
  uint64_t offset;
  Elf_Scn *section = constant_section(s, addr, &header, &offset);
  return section && !(header.sh_flags & SHF_EXECINSTR) && literal(section, offset, name);
}
