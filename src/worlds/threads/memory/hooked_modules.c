/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads the dynamic section of modules, see the header. What a module imports is what its relocations name; the symbol
 * table itself does not say how long it is, and which hash table describes it depends on the linker and its options.
 *
 * A module that is loaded later is read from its file, when its code is mapped: a library may be gone again at the end
 * of the execution, and the dynamic linker must not be asked in the middle of its work.
 */
#include "worlds/threads/memory/hooked_modules.h"
#include "core/assembly.h"
#include "core/loss.h"
#include "core/system_library.h"
#include "core/without_libc.h"
#include "worlds/threads/runtime.h"
#include <elf.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#define HOOK "__tsan_init" /* called by every object file that was compiled with hooks */

/* libc's own comparisons are hooks themselves (strings.c). */
static bool starts_with(const char *text, const char *start)
{
  while (*start && *text == *start)
    text++, start++;
  return !*start;
}

const char *base_name(const char *path)
{
  const char *name = path;
  for (const char *p = path; *p; p++)
    if (*p == '/')
      name = p + 1;
  return name;
}

/* ---- the dynamic section ---- */

/* A module in memory, or as the bytes of its file. */
struct image {
  uintptr_t base;   /* what addresses in it are relative to; of a file: where it is mapped */
  size_t file_size; /* 0: it is loaded */
  const ElfW(Phdr) * program_header;
  unsigned program_headers;
};

struct relocations {
  const ElfW(Rela) * entry;
  size_t count;
};

struct imports {
  const ElfW(Sym) * symbol;
  const char *names;
  size_t names_size;
  struct relocations of_data, of_calls;
};

/* `size` bytes at the address that the linker gave them; NULL if they are not there. The dynamic linker has added the
 * base to some of the addresses already. */
static const void *part(const struct image *image, uintptr_t address, size_t size)
{
  if (!image->file_size)
    return (const void *)(address < image->base ? address + image->base : address);
  for (unsigned i = 0; i < image->program_headers; i++) {
    const ElfW(Phdr) *p = &image->program_header[i];
    if (p->p_type != PT_LOAD || address < p->p_vaddr || address - p->p_vaddr > p->p_filesz)
      continue;
    uintptr_t within = address - p->p_vaddr;
    bool whole = size <= p->p_filesz - within && p->p_offset <= image->file_size &&
                 p->p_filesz <= image->file_size - p->p_offset;
    return whole ? (const char *)image->base + p->p_offset + within : NULL;
  }
  return NULL;
}

static const ElfW(Dyn) * dynamic_section(const struct image *image, size_t *entries)
{
  for (unsigned i = 0; i < image->program_headers; i++) {
    const ElfW(Phdr) *p = &image->program_header[i];
    if (p->p_type != PT_DYNAMIC)
      continue;
    *entries = p->p_memsz / sizeof(ElfW(Dyn));
    return image->file_size ? part(image, p->p_vaddr, *entries * sizeof(ElfW(Dyn)))
                            : (const void *)(image->base + p->p_vaddr);
  }
  return NULL;
}

static bool read_imports(const struct image *image, struct imports *imports)
{
  size_t entries = 0;
  uintptr_t symbols = 0, names = 0, data = 0, calls = 0;
  size_t data_size = 0, calls_size = 0;
  const ElfW(Dyn) *dynamic = dynamic_section(image, &entries);
  *imports = (struct imports){0};
  for (size_t i = 0; dynamic && i < entries && dynamic[i].d_tag != DT_NULL; i++) {
    uintptr_t value = dynamic[i].d_un.d_ptr;
    switch (dynamic[i].d_tag) {
    case DT_SYMTAB:
      symbols = value;
      break;
    case DT_STRTAB:
      names = value;
      break;
    case DT_STRSZ:
      imports->names_size = value;
      break;
    case DT_RELA:
      data = value;
      break;
    case DT_RELASZ:
      data_size = value;
      break;
    case DT_JMPREL:
      calls = value;
      break;
    case DT_PLTRELSZ:
      calls_size = value;
      break;
    }
  }
  imports->symbol = part(image, symbols, 0);
  imports->names = part(image, names, imports->names_size);
  imports->of_data.entry = data ? part(image, data, data_size) : NULL;
  imports->of_data.count = imports->of_data.entry ? data_size / sizeof(ElfW(Rela)) : 0;
  imports->of_calls.entry = calls ? part(image, calls, calls_size) : NULL;
  imports->of_calls.count = imports->of_calls.entry ? calls_size / sizeof(ElfW(Rela)) : 0;
  return symbols && names && imports->symbol && imports->names;
}

/* Whether the import is of that name. A file may be damaged: then it is not. */
static bool names_hook(const struct image *image, const struct imports *imports, const ElfW(Rela) * r)
{
  size_t n = ELF64_R_SYM(r->r_info);
  const ElfW(Sym) *symbol = imports->symbol + n;
  uintptr_t end = image->base + image->file_size;
  if (!n || (image->file_size && ((uintptr_t)symbol > end || end - (uintptr_t)symbol < sizeof *symbol)))
    return false;
  if (symbol->st_name > imports->names_size || imports->names_size - symbol->st_name < sizeof HOOK)
    return false;
  return !text_compare(imports->names + symbol->st_name, HOOK);
}

static bool imports_hook(const struct image *image)
{
  struct imports imports;
  if (!read_imports(image, &imports))
    return false;
  const struct relocations *const kinds[] = {&imports.of_calls, &imports.of_data};
  for (unsigned k = 0; k < 2; k++)
    for (size_t i = 0; i < kinds[k]->count; i++)
      if (names_hook(image, &imports, &kinds[k]->entry[i]))
        return true;
  return false;
}

static struct image loaded_image(const struct dl_phdr_info *module)
{
  return (struct image){
      .base = module->dlpi_addr, .program_header = module->dlpi_phdr, .program_headers = module->dlpi_phnum};
}

bool module_has_hooks(const struct dl_phdr_info *module)
{
  const struct image image = loaded_image(module);
  return imports_hook(&image);
}

bool module_find_call(const struct dl_phdr_info *module, call_visitor *wanted, const void *context)
{
  const struct image image = loaded_image(module);
  struct imports imports;
  if (!read_imports(&image, &imports))
    return false;
  const struct relocations *const kinds[] = {&imports.of_calls, &imports.of_data};
  for (unsigned k = 0; k < 2; k++)
    for (size_t i = 0; i < kinds[k]->count; i++) {
      const ElfW(Rela) *r = &kinds[k]->entry[i];
      unsigned type = ELF64_R_TYPE(r->r_info);
      if (type != R_X86_64_JUMP_SLOT && type != R_X86_64_GLOB_DAT && type != R_X86_64_64)
        continue;
      const char *name = imports.names + imports.symbol[ELF64_R_SYM(r->r_info)].st_name;
      if (wanted(name, *(const uintptr_t *)(image.base + r->r_offset), context))
        return true;
    }
  return false;
}

static bool is_within(const char *name, uintptr_t target, const void *range)
{
  (void)name;
  const uintptr_t *bounds = range;
  return target >= bounds[0] && target < bounds[1];
}

bool module_calls(const struct dl_phdr_info *module, uintptr_t start, uintptr_t end)
{
  const uintptr_t range[2] = {start, end};
  return module_find_call(module, is_within, range);
}

/* ---- the list ---- */

/* Names are separated by ", ". What has no room is not lost: the last word says that there are more. */
void add_to_list(char *list, size_t room, const char *name)
{
  static const char more[] = ", ...";
  size_t used = text_length(list), length = text_length(name);
  for (const char *at = list; *at; at++)
    if ((at == list || at[-1] == ' ') && starts_with(at, name) && (!at[length] || at[length] == ','))
      return;
  if (used + length + sizeof ", " + sizeof more <= room)
    print_text(list + used, room - used, "%s%s", used ? ", " : "", name);
  else if (list[used - 1] != '.')
    print_text(list + used, room - used, "%s", more);
}

void note_unhooked(const char *path)
{
  add_to_list(rt.control->unhooked, sizeof rt.control->unhooked, base_name(path));
}

void note_unhooked_loss(void)
{
  if (rt.control->config.instrumented && rt.control->unhooked[0])
    rt.control->losses |= LOST_MODULES;
}

void note_generated_code(void)
{
  note_unhooked("generated code");
  note_unhooked_loss();
}

/* ---- files ---- */

static bool file_image(uintptr_t at, size_t size, struct image *image)
{
  const ElfW(Ehdr) *header = (const void *)at;
  if (size < sizeof *header || !starts_with((const char *)header->e_ident, ELFMAG) ||
      header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_phentsize != sizeof(ElfW(Phdr)) || header->e_phoff > size ||
      header->e_phnum > (size - header->e_phoff) / sizeof(ElfW(Phdr)))
    return false;
  *image = (struct image){.base = at,
                          .file_size = size,
                          .program_header = (const void *)(at + header->e_phoff),
                          .program_headers = header->e_phnum};
  return true;
}

static void read_name(int fd, char *name, size_t size)
{
  char link[32];
  print_text(link, sizeof link, "/proc/self/fd/%d", fd);
  long n = sys(SYS_readlink, link, name, size - 1);
  if (n > 0)
    name[n] = 0;
  else
    print_text(name, size, "a library loaded by dlopen()");
}

/* Executions load the same files again and again. */
static bool seen_before(const struct stat *st)
{
  static struct {
    dev_t device;
    ino_t number;
  } seen[16];
  static unsigned count;
  for (unsigned i = 0; i < count && i < 16; i++)
    if (seen[i].device == st->st_dev && seen[i].number == st->st_ino)
      return true;
  seen[count % 16].device = st->st_dev;
  seen[count++ % 16].number = st->st_ino;
  return false;
}

static void read_notes(const struct image *image)
{
  for (unsigned i = 0; i < image->program_headers; i++) {
    const ElfW(Phdr) *p = &image->program_header[i];
    const void *notes = p->p_type == PT_NOTE ? part(image, p->p_vaddr, p->p_filesz) : NULL;
    if (notes)
      assembly_read_notes((uintptr_t)notes, p->p_filesz);
  }
}

void note_mapped_code(int fd)
{
  struct stat st;
  char name[512];
  if (sys(SYS_fstat, fd, &st) != 0 || !S_ISREG(st.st_mode) || seen_before(&st))
    return;
  read_name(fd, name, sizeof name);
  if (is_system_library(name))
    return;
  long at = sys(SYS_mmap, 0, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
  if (at < 0 && at > -4096)
    return;
  struct image image;
  bool module = file_image((uintptr_t)at, (size_t)st.st_size, &image);
  if (!module)
    note_unhooked("generated code");
  else if (!imports_hook(&image))
    note_unhooked(name);
  else
    read_notes(&image);
  note_unhooked_loss();
  sys(SYS_munmap, at, st.st_size);
}
