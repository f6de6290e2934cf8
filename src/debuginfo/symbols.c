/* SPDX-License-Identifier: Apache-2.0
 *
 * Symbols: the modules of a tested process, and lines and functions of its code. Data is in variables.c and
 * heap_names.c.
 *
 * libdwfl is built from the list of modules when first asked, and again when the list has changed.
 */
#include "debuginfo/symbols.h"

#include "core/address_name.h"
#include "debuginfo/symbols_internal.h"
#include <dwarf.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Where Linux puts a position-independent program when addresses are not randomised (ELF_ET_DYN_BASE). */
#if defined __x86_64__
#define PROGRAM_START ((uintptr_t)0x555555554000)
#define MACHINE EM_X86_64
#elif defined __aarch64__
#define PROGRAM_START ((uintptr_t)0xaaaaaaaa0000)
#define MACHINE EM_AARCH64
#else
#error "unknown machine"
#endif

void text_add(struct text_buffer *t, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  const int n = vsnprintf(t->out + t->used, t->size - t->used, format, arguments);
  va_end(arguments);
  if (n > 0)
    t->used = t->used + (size_t)n < t->size ? t->used + (size_t)n : t->size - 1;
}

const char *keep_string(struct symbols *s, const char *text)
{
  char **strings = realloc(s->strings, (s->string_count + 1) * sizeof *strings);
  if (!strings)
    return NULL;
  s->strings = strings;
  strings[s->string_count] = strdup(text);
  return strings[s->string_count] ? strings[s->string_count++] : NULL;
}

/* ---- modules ---- */

/* What keeps a file from being used, or NULL. */
static const char *unusable_elf(int fd)
{
  GElf_Ehdr header;
  const char *wrong = NULL;
  if (elf_version(EV_CURRENT) == EV_NONE)
    return "libelf is too old";
  Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
  if (!elf || elf_kind(elf) != ELF_K_ELF)
    wrong = "not an ELF file";
  else if (!gelf_getehdr(elf, &header))
    wrong = "a damaged ELF file";
  else if (header.e_machine != MACHINE || gelf_getclass(elf) != ELFCLASS64)
    wrong = "made for another machine";
  else if (header.e_type != ET_EXEC && header.e_type != ET_DYN)
    wrong = "an ELF file, but neither a program nor a library";
  elf_end(elf);
  return wrong;
}

static bool usable_file(const char *path, char *error, size_t error_size)
{
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) {
    snprintf(error, error_size, "%s: %s", path, strerror(errno));
    return false;
  }
  const char *wrong = unusable_elf(fd);
  close(fd);
  if (wrong)
    snprintf(error, error_size, "%s: %s", path, wrong);
  return !wrong;
}

/* Forgets all that was derived from the list of modules. Strings handed out stay. */
static void forget(struct symbols *s)
{
  memset(s->known, 0, sizeof s->known);
  for (size_t i = 0; i < s->module_count; i++) {
    struct module *m = &s->modules[i];
    free(m->variables);
    free(m->units);
    m->variables = NULL;
    m->units = NULL;
    m->variable_count = m->variable_room = m->unit_count = m->unit_room = 0;
    m->indexed = m->units_known = false;
    m->dwfl = NULL;
  }
  heap_sites_free(s);
  heap_blocks_free(s);
  local_frames_free(s);
  free(s->places);
  s->places = NULL;
  s->place_count = s->place_room = 0;
  if (s->dwfl)
    dwfl_end(s->dwfl);
  s->dwfl = NULL;
}

/* The absolute path, malloc'ed; NULL if there is no such file. Also where the name of the current folder cannot be
 * told. */
static char *absolute_path(const char *path)
{
  char *absolute = realpath(path, NULL), *through = NULL;
  if (!absolute && *path != '/' && asprintf(&through, "/proc/self/cwd/%s", path) >= 0) {
    absolute = realpath(through, NULL);
    free(through);
  }
  return absolute;
}

static bool append_module(struct symbols *s, const char *path, uintptr_t start)
{
  struct module *modules = realloc(s->modules, (s->module_count + 1) * sizeof *modules);
  if (!modules)
    return false;
  s->modules = modules;
  char *absolute = absolute_path(path);
  if (!absolute && !(absolute = strdup(path)))
    return false;
  const char *slash = strrchr(absolute, '/');
  modules[s->module_count++] = (struct module){.path = absolute, .name = slash ? slash + 1 : absolute, .start = start};
  return true;
}

struct symbols *symbols_open(const char *program, char *error, size_t error_size)
{
  if (!usable_file(program, error, error_size))
    return NULL;
  struct symbols *s = calloc(1, sizeof *s);
  if (!s || !append_module(s, program, PROGRAM_START)) {
    snprintf(error, error_size, "%s: no memory", program);
    symbols_close(s);
    return NULL;
  }
  s->directory = getcwd(NULL, 0);
  return s;
}

void symbols_close(struct symbols *s)
{
  if (!s)
    return;
  forget(s);
  for (size_t i = 0; i < s->module_count; i++)
    free(s->modules[i].path);
  free(s->modules);
  source_files_free(s);
  for (size_t i = 0; i < s->string_count; i++)
    free(s->strings[i]);
  free(s->strings);
  free(s->directory);
  free(s);
}

bool symbols_add_module(struct symbols *s, const char *path, uintptr_t start, char *error, size_t error_size)
{
  char unused[1];
  if (!error) {
    error = unused;
    error_size = sizeof unused;
  }
  if (!s) {
    snprintf(error, error_size, "%s: there is no program", path);
    return false;
  }
  char *absolute = absolute_path(path);
  for (size_t i = 0; absolute && i < s->module_count; i++) {
    if (strcmp(s->modules[i].path, absolute) == 0) {
      free(absolute);
      if (s->modules[i].start != start) {
        forget(s);
        s->modules[i].start = start;
      }
      return true;
    }
  }
  free(absolute);
  if (!usable_file(path, error, error_size))
    return false;
  forget(s);
  if (!append_module(s, path, start)) {
    snprintf(error, error_size, "%s: no memory", path);
    return false;
  }
  return true;
}

/* One line of /proc/PID/maps; path is malloc'ed. False: not the start of a file. */
static bool maps_line(const char *line, size_t length, uintptr_t *start, char **path)
{
  uint64_t low, high, offset;
  int at = 0;
  char *copy = strndup(line, length);
  *path = NULL;
  if (copy && sscanf(copy, "%" SCNx64 "-%" SCNx64 " %*4s %" SCNx64 " %*x:%*x %*u %n", &low, &high, &offset, &at) == 3 &&
      at > 0 && offset == 0 && copy[at] == '/' && !strstr(copy + at, " (deleted)")) {
    *start = low;
    *path = strdup(copy + at);
  }
  free(copy);
  return *path != NULL;
}

/* The next file in a map, and where it is. *path is that of the one before, or NULL, and is freed: if two parts of a
 * small file are in its first page, that page is mapped for both. A last line without its end may be cut: it is passed
 * over. */
static bool next_file(const char **text, uintptr_t *start, char **path)
{
  char *before = *path;
  const char *newline;
  bool found = false;
  *path = NULL;
  for (; !found && (newline = strchr(*text, '\n')); *text = newline + 1) {
    free(*path);
    found = maps_line(*text, (size_t)(newline - *text), start, path) && (!before || strcmp(before, *path) != 0);
  }
  if (!found) {
    free(*path);
    *path = NULL;
  }
  free(before);
  return found;
}

/* As it is, whatever else has that path. */
static void add_apart(struct symbols *s, const char *path, uintptr_t start)
{
  char error[1];
  for (size_t i = 0; i < s->module_count; i++)
    if (s->modules[i].start == start)
      return;
  if (!usable_file(path, error, sizeof error))
    return;
  forget(s);
  append_module(s, path, start);
}

void symbols_load_image(struct symbols *s, const char *text, unsigned image)
{
  uintptr_t start;
  char *path = NULL;
  while (s && next_file(&text, &start, &path))
    add_apart(s, path, start | (uintptr_t)image << IMAGE_SHIFT);
}

size_t symbols_load_maps(struct symbols *s, const char *text)
{
  uintptr_t start;
  char *path = NULL;
  while (s && next_file(&text, &start, &path))
    symbols_add_module(s, path, start, NULL, 0);
  return s ? s->module_count : 0;
}

/* Every stack ends in the C library. Where its debug information is installed, unpacking it would take longer than all
 * else that a report needs, to tell lines of a source that is not there. */
static int find_debug_file(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base, const char *file,
                           const char *link, GElf_Word crc, char **found)
{
  if (strcmp(name, "libc.so.6") == 0)
    return -1;
  return dwfl_standard_find_debuginfo(module, data, name, base, file, link, crc, found);
}

static void build_dwfl(struct symbols *s)
{
  static const Dwfl_Callbacks callbacks = {
      .find_elf = dwfl_build_id_find_elf,
      .find_debuginfo = find_debug_file,
      .section_address = dwfl_offline_section_address,
  };
  s->dwfl = dwfl_begin(&callbacks);
  if (!s->dwfl)
    return;
  dwfl_report_begin(s->dwfl);
  for (size_t i = 0; i < s->module_count; i++) {
    struct module *m = &s->modules[i];
    m->dwfl = dwfl_report_elf(s->dwfl, m->name, m->path, -1, m->start, false);
  }
  dwfl_report_end(s->dwfl, NULL, NULL);
  for (size_t i = 0; i < s->module_count; i++) {
    struct module *m = &s->modules[i];
    Dwarf_Addr low, high;
    GElf_Addr bias;
    if (!m->dwfl || !dwfl_module_info(m->dwfl, NULL, &low, &high, NULL, NULL, NULL, NULL) ||
        !dwfl_module_getelf(m->dwfl, &bias)) {
      m->dwfl = NULL;
      continue;
    }
    m->low = low;
    m->high = high;
    m->bias = bias;
  }
}

struct module *module_of(struct symbols *s, uintptr_t addr)
{
  if (!s)
    return NULL;
  if (!s->dwfl)
    build_dwfl(s);
  for (size_t i = 0; i < s->module_count; i++) {
    struct module *m = &s->modules[i];
    if (m->dwfl && addr >= m->low && addr < m->high)
      return m;
  }
  return NULL;
}

Dwarf *module_dwarf(struct module *m, Dwarf_Addr *bias)
{
  return dwfl_module_getdwarf(m->dwfl, bias);
}

static void add_unit_range(struct module *m, const struct unit_range *range)
{
  if (m->unit_count == m->unit_room) {
    const size_t room = m->unit_room ? m->unit_room * 2 : 16;
    struct unit_range *bigger = realloc(m->units, room * sizeof *bigger);
    if (!bigger)
      return; /* lines of that unit stay unknown */
    m->units = bigger;
    m->unit_room = room;
  }
  m->units[m->unit_count++] = *range;
}

static int by_low(const void *a, const void *b)
{
  const struct unit_range *left = a, *right = b;
  return left->low < right->low ? -1 : left->low > right->low;
}

/* Not by .debug_aranges, as libdwfl would: clang does not write them. */
static void index_units(struct module *m)
{
  Dwarf_Addr bias;
  Dwarf *dwarf = module_dwarf(m, &bias);
  Dwarf_CU *unit = NULL;
  Dwarf_Die die, split;
  uint8_t kind;
  m->units_known = true;
  while (dwarf && dwarf_get_units(dwarf, unit, &unit, NULL, &kind, &die, &split) == 0) {
    Dwarf_Addr base, low, high;
    ptrdiff_t at = 0;
    if (kind != DW_UT_compile && kind != DW_UT_skeleton)
      continue;
    struct unit_range range = {.unit = die, .scopes = kind == DW_UT_skeleton && split.addr ? split : die};
    while ((at = dwarf_ranges(&die, at, &base, &low, &high)) > 0) {
      range.low = low + bias;
      range.high = high + bias;
      if (low && low < high)
        add_unit_range(m, &range);
    }
  }
  if (m->unit_count)
    qsort(m->units, m->unit_count, sizeof *m->units, by_low);
}

const struct unit_range *module_unit(struct module *m, uintptr_t addr, Dwarf_Addr *bias)
{
  if (!m->units_known)
    index_units(m);
  size_t low = 0, high = m->unit_count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (m->units[middle].low <= addr)
      low = middle + 1;
    else
      high = middle;
  }
  if (low == 0 || addr >= m->units[low - 1].high || !module_dwarf(m, bias))
    return NULL;
  return &m->units[low - 1];
}

bool symbols_have_debug_info(struct symbols *s)
{
  Dwarf_Addr bias;
  if (!s)
    return false;
  if (!s->dwfl)
    build_dwfl(s);
  return s->modules[0].dwfl && module_dwarf(&s->modules[0], &bias) != NULL;
}

bool symbols_module_offset(struct symbols *s, uintptr_t addr, const char **module, uint64_t *offset)
{
  struct module *m = module_of(s, addr);
  if (!m)
    return false;
  *module = m->name;
  *offset = addr - m->bias;
  return true;
}

bool symbols_module_address(struct symbols *s, const char *module, uint64_t offset, uintptr_t *addr)
{
  module_of(s, 0); /* makes the bounds known */
  for (size_t i = 0; s && i < s->module_count; i++) {
    struct module *m = &s->modules[i];
    if (!m->dwfl || strcmp(m->name, module) != 0)
      continue;
    const uintptr_t found = offset + m->bias;
    if (found < m->low || found >= m->high)
      continue;
    *addr = found;
    return true;
  }
  return false;
}

/* ---- names of addresses ---- */

void symbols_load_biases(struct symbols *s, const uint64_t *bias, unsigned count)
{
  if (!s)
    return;
  s->biases = count < NAME_MODULES ? count : NAME_MODULES;
  memcpy(s->bias, bias, s->biases * sizeof *bias);
}

uintptr_t symbols_named_address(struct symbols *s, uint64_t name)
{
  unsigned module = name_module(name);
  if (module == NAME_MODULES)
    return name;
  module_of(s, 0); /* makes the bounds known */
  if (s && module < s->biases)
    return s->bias[module] + (name & NAME_OFFSET);
  return s && !module && s->module_count ? s->modules[0].bias + (name & NAME_OFFSET) : 0;
}

uint64_t symbols_address_name(struct symbols *s, uintptr_t addr)
{
  struct module *m = module_of(s, addr);
  if (m && m == &s->modules[0])
    return name_in_zone(ZONE_MODULES, addr - m->bias);
  for (unsigned i = 1; m && i < s->biases; i++)
    if (s->bias[i] == m->bias)
      return name_in_zone(ZONE_MODULES + i, addr - m->bias);
  return 0;
}

/* ---- lines and functions ---- */

static const char *function_of(struct symbols *s, struct module *m, uintptr_t addr)
{
  char name[256] = "";
  struct text_buffer text = {name, sizeof name, 0};
  if (function_name(m, addr, &text))
    return keep_string(s, name);
  const char *symbol = dwfl_module_addrname(m->dwfl, addr);
  if (!symbol)
    return NULL;
  demangle(symbol, name, sizeof name);
  return keep_string(s, name);
}

/* Makes a path absolute and removes `.`, `..` and doubled slashes from it, without looking at the disk. */
static char *clean_path(const char *directory, const char *path)
{
  const size_t size = (directory ? strlen(directory) : 0) + strlen(path) + 3;
  char *joined = malloc(size), *clean = malloc(size), *rest = NULL;
  size_t used = 0;
  if (!joined || !clean) {
    free(joined);
    free(clean);
    return NULL;
  }
  const bool relative = path[0] != '/' && !(directory && directory[0] == '/');
  snprintf(joined, size, "%s/%s", path[0] == '/' || !directory ? "" : directory, path);
  clean[0] = '\0';
  for (char *part = strtok_r(joined, "/", &rest); part; part = strtok_r(NULL, "/", &rest)) {
    if (strcmp(part, ".") == 0)
      continue;
    char *slash = strrchr(clean, '/');
    if (strcmp(part, "..") == 0 && slash) {
      *slash = '\0';
      used = (size_t)(slash - clean);
      continue;
    }
    used += (size_t)snprintf(clean + used, size - used, "/%s", part);
  }
  free(joined);
  if (relative && used)
    memmove(clean, clean + 1, used);
  return clean;
}

bool is_system_path(const char *path)
{
  static const char *const folders[] = {"/usr/include/", "/usr/lib/", "/usr/lib64/", "/lib/", "/lib64/"};
  for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
    if (strncmp(path, folders[i], strlen(folders[i])) == 0)
      return true;
  return false;
}

static void set_file(struct symbols *s, Dwarf_Die *unit, const char *name, struct source_place *place)
{
  Dwarf_Attribute attribute;
  const char *directory = dwarf_attr(unit, DW_AT_comp_dir, &attribute) ? dwarf_formstring(&attribute) : NULL;
  char *path = clean_path(directory, name);
  struct source_file *file = path ? source_file_of(s, path) : NULL;
  free(path);
  if (!file) {
    place->file = place->display = place->name = NULL;
    place->line = 0;
    return;
  }
  place->file = file->path;
  place->display = source_file_display(s, file);
  place->name = source_file_name(s, file);
}

static void line_of(struct symbols *s, struct module *m, uintptr_t addr, struct source_place *place)
{
  int number = 0;
  Dwarf_Addr bias;
  Dwarf_Line *line = NULL;
  const struct unit_range *range = module_unit(m, addr, &bias);
  if (!range)
    return;
  Dwarf_Die unit = range->unit;
  /* Line 0 marks code the compiler added: it belongs to the line before. */
  for (uintptr_t at = addr; addr - at < 64 && number == 0 && at >= range->low; at--) {
    line = dwarf_getsrc_die(&unit, at - bias);
    if (line)
      dwarf_lineno(line, &number);
  }
  const char *name = line && number > 0 ? dwarf_linesrc(line, NULL, NULL) : NULL;
  if (!name)
    return;
  int column = 0;
  dwarf_linecol(line, &column);
  place->line = (uint32_t)number;
  place->column = column > 0 ? (uint32_t)column : 0;
  set_file(s, &unit, name, place);
}

/* Code of a library that was inlined into the program's own belongs to the line that called for it. */
static void own_line_of(struct symbols *s, struct module *m, uintptr_t addr, struct source_place *place)
{
  char name[256] = "";
  struct text_buffer function = {name, sizeof name, 0};
  struct inlined_call_site call;
  struct source_place outer = *place;
  Dwarf_Addr bias;
  const struct unit_range *range = module_unit(m, addr, &bias);
  for (int level = 0; range && inlined_call(range, addr - bias, level, &call); level++) {
    Dwarf_Die unit = range->unit;
    outer.line = call.line;
    outer.column = 0;
    set_file(s, &unit, call.file, &outer);
    if (!outer.file || is_system_path(outer.file))
      continue;
    outer.library = false;
    outer.inlined = true;
    if (qualified_name(&call.caller, &function))
      outer.function = keep_string(s, name);
    *place = outer;
    return;
  }
}

static size_t hash_addr(uintptr_t addr, size_t room)
{
  return (size_t)((addr * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & (room - 1);
}

static struct place_entry *cache_slot(struct place_entry *places, size_t room, uintptr_t addr)
{
  size_t at = hash_addr(addr, room);
  while (places[at].addr && places[at].addr != addr)
    at = (at + 1) & (room - 1);
  return &places[at];
}

/* A slot for the address, free or with its answer; NULL when there is no memory. */
static struct place_entry *cached_place(struct symbols *s, uintptr_t addr)
{
  if (s->place_count * 2 >= s->place_room) {
    const size_t room = s->place_room ? s->place_room * 2 : 256;
    struct place_entry *bigger = calloc(room, sizeof *bigger);
    if (!bigger)
      return NULL;
    for (size_t i = 0; i < s->place_room; i++)
      if (s->places[i].addr)
        *cache_slot(bigger, room, s->places[i].addr) = s->places[i];
    free(s->places);
    s->places = bigger;
    s->place_room = room;
  }
  return cache_slot(s->places, s->place_room, addr);
}

bool symbols_exact_line(struct symbols *s, uintptr_t addr, struct source_place *out)
{
  *out = (struct source_place){0};
  struct module *m = module_of(s, addr);
  if (!m)
    return false;
  struct place_entry *entry = cached_place(s, addr);
  if (entry && entry->addr == addr) {
    *out = entry->place;
    return entry->found;
  }
  out->module = m->name;
  line_of(s, m, addr, out);
  out->library =
      is_system_path(m->path) || (out->file && is_system_path(out->file)) || strcmp(m->name, "libheddle.so") == 0;
  out->function = function_of(s, m, addr);
  if (out->library && out->line && !is_system_path(m->path))
    own_line_of(s, m, addr, out);
  const bool found = out->line != 0 || out->function != NULL;
  entry = cached_place(s, addr);
  if (entry) {
    *entry = (struct place_entry){.addr = addr, .found = found, .place = *out};
    s->place_count++;
  }
  return found;
}

bool symbols_line(struct symbols *s, uintptr_t pc, struct source_place *out)
{
  return symbols_exact_line(s, pc - 1, out);
}

/* The name without namespaces, classes, parameters and arguments of templates: `std::vector<int>::push_back(int&&)` is
 * push_back. */
static void last_name(const char *whole, char *out, size_t n)
{
  const char *start = whole, *end = whole;
  for (int depth = 0; *end && (depth || *end != '('); end++) {
    depth += (*end == '<') - (*end == '>');
    if (!depth && end[0] == ':' && end[1] == ':')
      start = end + 2;
  }
  snprintf(out, n, "%.*s", (int)strcspn(start, "<("), start);
}

bool symbols_library_call(struct symbols *s, uintptr_t pc, char *out, size_t n)
{
  Dwarf_Addr bias;
  struct source_place place;
  const char *name = NULL;
  struct module *m = s && pc ? module_of(s, pc - 1) : NULL;
  const struct unit_range *range = m ? module_unit(m, pc - 1, &bias) : NULL;
  out[0] = '\0';
  if (range && library_call(range, pc - 1 - bias, is_system_path, &name))
    last_name(name, out, n);
  else if (!range && m && symbols_line(s, pc, &place) && place.library && place.function)
    last_name(place.function, out, n);
  return out[0];
}

void symbols_format_place(struct symbols *s, uintptr_t pc, char *out, size_t n)
{
  struct source_place place;
  const char *module;
  uint64_t offset;
  if (symbols_line(s, pc, &place) && place.line)
    snprintf(out, n, "%s:%" PRIu32, place.display, place.line);
  else if (place.function)
    snprintf(out, n, "%s (%s)", place.function, place.module);
  else if (symbols_module_offset(s, pc, &module, &offset))
    snprintf(out, n, "%s+0x%" PRIx64, module, offset);
  else
    snprintf(out, n, "0x%" PRIxPTR, pc);
}
