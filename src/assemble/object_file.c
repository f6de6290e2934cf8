/* SPDX-License-Identifier: Apache-2.0
 *
 * Reading object files and archives; see object_file.h. They may be damaged: nothing outside of their bytes is looked
 * at. */
#include "assemble/object_file.h"
#include <ar.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HOOK "__tsan_init" /* called by every object file that was compiled with hooks */

/* ---- objects ---- */

/* NULL if it is not all there, or not as aligned as its headers need. */
static const void *part(struct bytes file, uint64_t offset, uint64_t size)
{
  return offset <= file.size && size <= file.size - offset ? file.at + offset : NULL;
}

struct sections {
  struct bytes file;
  Elf64_Ehdr header;
};

static bool sections_of(struct bytes file, struct sections *out)
{
  const void *header = part(file, 0, sizeof out->header);
  if (!header || memcmp(header, ELFMAG, SELFMAG) != 0)
    return false;
  memcpy(&out->header, header, sizeof out->header);
  out->file = file;
  return out->header.e_ident[EI_CLASS] == ELFCLASS64 && out->header.e_type == ET_REL &&
         out->header.e_shentsize == sizeof(Elf64_Shdr);
}

static bool section_at(const struct sections *s, uint64_t n, Elf64_Shdr *out)
{
  const void *at = part(s->file, s->header.e_shoff + n * sizeof *out, sizeof *out);
  if (at)
    memcpy(out, at, sizeof *out);
  return at != NULL;
}

/* With more sections than the header can count, the first one has the numbers. */
static uint64_t section_count(const struct sections *s)
{
  Elf64_Shdr first;
  if (s->header.e_shnum || !section_at(s, 0, &first))
    return s->header.e_shnum;
  return first.sh_size;
}

static uint64_t name_section(const struct sections *s)
{
  Elf64_Shdr first;
  if (s->header.e_shstrndx != SHN_XINDEX || !section_at(s, 0, &first))
    return s->header.e_shstrndx;
  return first.sh_link;
}

/* A text in a table of texts; "" if it is not there. */
static const char *text_in(const struct sections *s, const Elf64_Shdr *table, uint64_t offset)
{
  const char *all = part(s->file, table->sh_offset, table->sh_size);
  if (!all || offset >= table->sh_size || !memchr(all + offset, 0, table->sh_size - offset))
    return "";
  return all + offset;
}

static bool calls_hook(const struct sections *s, const Elf64_Shdr *symbols)
{
  Elf64_Shdr names;
  if (!section_at(s, symbols->sh_link, &names))
    return false;
  for (uint64_t i = 1; i < symbols->sh_size / sizeof(Elf64_Sym); i++) {
    Elf64_Sym symbol;
    const void *at = part(s->file, symbols->sh_offset + i * sizeof symbol, sizeof symbol);
    if (!at)
      return false;
    memcpy(&symbol, at, sizeof symbol);
    if (symbol.st_shndx == SHN_UNDEF && !strcmp(text_in(s, &names, symbol.st_name), HOOK))
      return true;
  }
  return false;
}

enum object_file_kind object_file_kind(struct bytes object)
{
  static const unsigned char bitcode[] = {'B', 'C', 0xc0, 0xde};
  const void *start = part(object, 0, sizeof bitcode);
  struct sections s;
  Elf64_Shdr section, names;
  bool code = false, late = false;
  if (start && memcmp(start, bitcode, sizeof bitcode) == 0)
    return OBJECT_FILE_LATE;
  if (!sections_of(object, &s) || !section_at(&s, name_section(&s), &names))
    return OBJECT_FILE_OTHER;
  for (uint64_t i = 1; i < section_count(&s) && section_at(&s, i, &section); i++) {
    const char *name = text_in(&s, &names, section.sh_name);
    if (!strcmp(name, SEEN_SECTION) || (section.sh_type == SHT_SYMTAB && calls_hook(&s, &section)))
      return OBJECT_FILE_SEEN;
    code |= section.sh_type == SHT_PROGBITS && section.sh_flags & SHF_EXECINSTR && section.sh_size > 0;
    late |= !strncmp(name, ".gnu.lto_", 9);
  }
  return late ? OBJECT_FILE_LATE : code ? OBJECT_FILE_UNHOOKED : OBJECT_FILE_OTHER;
}

/* ---- archives ---- */

struct member {
  const char *name; /* ends with '/', a blank or a line's end */
  size_t name_length;
  uint64_t size;
  bool special; /* the archive's own tables */
};

static uint64_t decimal(const char *text, size_t length)
{
  char digits[32];
  snprintf(digits, sizeof digits, "%.*s", (int)length, text);
  return strtoull(digits, NULL, 10);
}

static size_t name_length(const char *name, size_t most, const char *ends)
{
  size_t n = 0;
  while (n < most && name[n] && !strchr(ends, name[n]))
    n++;
  return n;
}

/* Names of up to 15 characters end with '/'; "/12" is the place of a longer one in a table, where it ends with
 * "/\n". */
static struct member member_read(const struct ar_hdr *header, struct bytes long_names)
{
  struct member m = {.size = decimal(header->ar_size, sizeof header->ar_size)};
  if (header->ar_name[0] != '/') {
    m.name = header->ar_name;
    m.name_length = name_length(m.name, sizeof header->ar_name, "/ ");
    return m;
  }
  uint64_t offset = decimal(header->ar_name + 1, sizeof header->ar_name - 1);
  m.special = header->ar_name[1] < '0' || header->ar_name[1] > '9' || offset >= long_names.size;
  if (m.special)
    return m;
  m.name = (const char *)long_names.at + offset;
  m.name_length = name_length(m.name, long_names.size - offset, "\n");
  m.name_length -= m.name_length && m.name[m.name_length - 1] == '/';
  return m;
}

static const char *last_part(const char *name)
{
  const char *slash = strrchr(name, '/');
  return slash ? slash + 1 : name;
}

bool archive_find(struct bytes archive, const char *name,
                  void (*visit)(void *context, struct bytes member, const char *path), void *context)
{
  bool thin = archive.size >= 8 && memcmp(archive.at, "!<thin>\n", 8) == 0;
  struct bytes long_names = {0};
  if (!thin && (archive.size < SARMAG || memcmp(archive.at, ARMAG, SARMAG) != 0))
    return false;
  for (uint64_t at = SARMAG; part(archive, at, sizeof(struct ar_hdr));) {
    const struct ar_hdr *header = part(archive, at, sizeof *header);
    struct member m = member_read(header, long_names);
    bool inside = !thin || m.special;
    const void *bytes = inside ? part(archive, at + sizeof *header, m.size) : NULL;
    if (inside && !bytes)
      return true;
    if (m.special && !strncmp(header->ar_name, "// ", 3))
      long_names = (struct bytes){bytes, m.size};
    char path[4096];
    snprintf(path, sizeof path, "%.*s", (int)m.name_length, m.special ? "" : m.name);
    if (!m.special && !strcmp(last_part(path), last_part(name)))
      visit(context, (struct bytes){bytes, bytes ? m.size : 0}, path);
    at += sizeof *header + (inside ? m.size + (m.size & 1) : 0);
  }
  return true;
}
