/* SPDX-License-Identifier: Apache-2.0
 *
 * Finding functions to watch; see watch_list.h.
 */
#include "debuginfo/watch_list.h"
#include "core/known_as.h"
#include "core/sled.h"
#include "debuginfo/symbols_internal.h"
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NAME_SIZE 256

struct item {
  char type[sizeof((struct watched_call *)0)->type];
  char pattern[128];
  bool typed, out;
  uint8_t role, argument;
};

struct search {
  Elf *elf;
  struct item item;
  struct control_config *config;
  uint32_t matched, unmarked; /* functions; of these, without room for a call */
  uint32_t described;         /* functions, by debugging information */
  char example[64];           /* of the latter */
  bool full;
};

/* ---- the list ---- */

/* "conn_*": conn; "Conn::*": Conn; "conn_open": conn. */
static void type_of_pattern(struct item *item)
{
  size_t n = strcspn(item->pattern, "*?[");
  if (!item->pattern[n])
    while (n > 0 && item->pattern[n - 1] != '_' && item->pattern[n - 1] != ':')
      n--;
  while (n > 0 && (item->pattern[n - 1] == '_' || item->pattern[n - 1] == ':'))
    n--;
  if (n == 0)
    n = strlen(item->pattern);
  snprintf(item->type, sizeof item->type, "%.*s", (int)n, item->pattern);
}

static bool read_word(struct item *item, const char *word)
{
  if (!strcmp(word, "new"))
    item->role = CALL_CREATOR;
  else if (!strcmp(word, "init"))
    item->role = CALL_INIT;
  else if (!strcmp(word, "not"))
    item->out = true;
  else if (word[0] >= '1' && word[0] <= '6' && !word[1])
    item->argument = (uint8_t)(word[0] - '1');
  else
    return false;
  return true;
}

/* The last colon begins a word, unless it is half of `::`. */
static bool read_item(struct item *item, const char *text)
{
  *item = (struct item){0};
  const char *equals = strchr(text, '=');
  if (equals) {
    snprintf(item->type, sizeof item->type, "%.*s", (int)(equals - text), text);
    text = equals + 1;
    item->typed = true;
  }
  snprintf(item->pattern, sizeof item->pattern, "%s", text);
  char *colon = strrchr(item->pattern, ':');
  if (colon && colon > item->pattern && colon[-1] != ':') {
    *colon = 0;
    if (!read_word(item, colon + 1))
      return false;
  }
  if (!item->typed)
    type_of_pattern(item);
  return *item->pattern;
}

/* ---- functions ---- */

/* Where the function has room for a call, which may be behind a landing pad; 0 if it has none. */
static uint64_t sled_of(const struct search *s, const GElf_Sym *symbol)
{
  static const unsigned char endbr[] = {0xf3, 0x0f, 0x1e, 0xfa};
  GElf_Shdr header;
  Elf_Scn *section = elf_getscn(s->elf, symbol->st_shndx);
  const Elf_Data *data = section ? elf_rawdata(section, NULL) : NULL;
  if (!data || !data->d_buf || !gelf_getshdr(section, &header) || symbol->st_value < header.sh_addr)
    return 0;
  uint64_t at = symbol->st_value - header.sh_addr, left = at < data->d_size ? data->d_size - at : 0;
  const unsigned char *code = (const unsigned char *)data->d_buf + at;
  size_t pad = left < sizeof endbr || memcmp(code, endbr, sizeof endbr) ? 0 : sizeof endbr;
  return left >= pad + SLED && is_sled(code + pad) ? symbol->st_value + pad : 0;
}

/* As a person knows it: without the parameters of C++. */
static void plain_name(const char *symbol, char out[NAME_SIZE])
{
  demangle(symbol, out, NAME_SIZE);
  out[strcspn(out, "(")] = 0;
}

static struct watched_call *known(const struct search *s, uint64_t sled)
{
  for (uint32_t i = 0; i < s->config->calls; i++)
    if (s->config->call[i].sled == sled)
      return &s->config->call[i];
  return NULL;
}

static void leave_out(struct search *s, struct watched_call *call)
{
  struct watched_call *last = &s->config->call[--s->config->calls];
  memmove(call, call + 1, (size_t)(last - call) * sizeof *call);
}

static void add_function(struct search *s, const char *name, uint64_t sled)
{
  struct watched_call *call = known(s, sled);
  if (s->item.out) {
    if (call)
      leave_out(s, call);
    return;
  }
  if (!call) {
    s->full |= s->config->calls == WATCHED_CALLS;
    if (s->full)
      return;
    call = &s->config->call[s->config->calls++];
    *call = (struct watched_call){.sled = sled};
    snprintf(call->name, sizeof call->name, "%.*s", (int)sizeof call->name - 1, name);
    memcpy(call->type, s->item.type, sizeof call->type);
  } else if (s->item.typed) {
    memcpy(call->type, s->item.type, sizeof call->type);
  }
  call->is_step = true;
  call->role = s->item.role;
  call->argument = s->item.argument;
}

static void read_symbols(struct search *s, Elf_Scn *section, const GElf_Shdr *header)
{
  Elf_Data *data = elf_getdata(section, NULL);
  for (int i = 0; data && header->sh_entsize && i < (int)(header->sh_size / header->sh_entsize); i++) {
    GElf_Sym symbol;
    if (!gelf_getsym(data, i, &symbol) || GELF_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_shndx == SHN_UNDEF)
      continue;
    char name[NAME_SIZE];
    const char *text = elf_strptr(s->elf, header->sh_link, symbol.st_name);
    plain_name(text ? text : "", name);
    if (fnmatch(s->item.pattern, name, 0) != 0)
      continue;
    uint64_t sled = sled_of(s, &symbol);
    s->matched++;
    if (sled) {
      add_function(s, name, sled);
    } else {
      s->unmarked++;
      snprintf(s->example, sizeof s->example, "%.*s", (int)sizeof s->example - 1, name);
    }
  }
}

static bool search_item(struct search *s, const char *text, char *error, size_t size)
{
  s->matched = s->unmarked = 0;
  if (!read_item(&s->item, text)) {
    snprintf(error, size, "\"%s\" is not of the form [TYPE=]PATTERN[:new|:init|:not|:1…6]", text);
    return false;
  }
  for (Elf_Scn *section = NULL; (section = elf_nextscn(s->elf, section));) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) && header.sh_type == SHT_SYMTAB)
      read_symbols(s, section, &header);
  }
  if (s->full)
    snprintf(error, size, "more than %d functions are to be watched", WATCHED_CALLS);
  else if (!s->matched)
    snprintf(error, size, "the program has no function \"%s\"", s->item.pattern);
  else if (s->matched == s->unmarked)
    snprintf(error, size, "%s was not compiled by heddle cc, so its calls cannot be watched", s->example);
  else
    return true;
  return false;
}

static bool search_list(struct search *s, const char *list, char *error, size_t size)
{
  char *copy = strdup(list), *rest = copy, *item;
  bool right = copy;
  if (!copy)
    snprintf(error, size, "no memory left");
  while (right && (item = strsep(&rest, ",")))
    right = search_item(s, item, error, size);
  free(copy);
  return right;
}

/* False with an error. */
static bool open_program(struct search *s, const char *program, int *fd, char *error, size_t size)
{
  *fd = open(program, O_RDONLY | O_CLOEXEC);
  s->elf = *fd >= 0 && elf_version(EV_CURRENT) != EV_NONE ? elf_begin(*fd, ELF_C_READ, NULL) : NULL;
  if (!s->elf)
    snprintf(error, size, "%s cannot be read", program);
  return s->elf;
}

static void close_program(struct search *s, int fd)
{
  elf_end(s->elf);
  if (fd >= 0)
    close(fd);
}

bool watch_list(const char *program, const char *list, struct control_config *config, char *error, size_t error_size)
{
  struct search s = {.config = config};
  int fd;
  config->calls = 0;
  bool right = open_program(&s, program, &fd, error, error_size) && search_list(&s, list, error, error_size);
  close_program(&s, fd);
  return right;
}

/* ---- events ---- */

static void add_event_function(struct search *s, const char *name, uint64_t sled)
{
  for (uint32_t i = 0; i < s->config->calls; i++)
    if (sled ? s->config->call[i].sled == sled
             : s->config->call[i].in_library && !strcmp(s->config->call[i].name, name))
      return;
  s->full |= s->config->calls == WATCHED_CALLS;
  if (s->full)
    return;
  struct watched_call *call = &s->config->call[s->config->calls++];
  *call = (struct watched_call){.sled = sled, .in_library = !sled};
  snprintf(call->name, sizeof call->name, "%.*s", (int)sizeof call->name - 1, name);
}

/* Copies of a function that the compiler made for some of its callers have a dot in their names, and other arguments.
 */
static void read_event_symbol(struct search *s, const GElf_Sym *symbol, const char *text, bool dynamic)
{
  char name[NAME_SIZE];
  bool defined = symbol->st_shndx != SHN_UNDEF;
  plain_name(text, name);
  size_t dot = strcspn(name, ".");
  bool is_copy = name[dot];
  name[dot] = 0;
  if (defined == dynamic || !*name || fnmatch(s->item.pattern, known_as(name), 0) != 0)
    return;
  uint64_t sled = defined && !is_copy ? sled_of(s, symbol) : 0;
  s->matched += sled != 0;
  if (is_copy) {
    s->config->unseen_events = true;
  } else if (!defined || sled) {
    add_event_function(s, name, sled);
  } else if (!s->unmarked++) {
    snprintf(s->example, sizeof s->example, "%.*s", (int)sizeof s->example - 1, name);
  }
}

static void read_event_symbols(struct search *s, Elf_Scn *section, const GElf_Shdr *header)
{
  Elf_Data *data = elf_getdata(section, NULL);
  for (int i = 0; data && header->sh_entsize && i < (int)(header->sh_size / header->sh_entsize); i++) {
    GElf_Sym symbol;
    if (!gelf_getsym(data, i, &symbol) || GELF_ST_TYPE(symbol.st_info) != STT_FUNC)
      continue;
    const char *text = elf_strptr(s->elf, header->sh_link, symbol.st_name);
    read_event_symbol(s, &symbol, text ? text : "", header->sh_type == SHT_DYNSYM);
  }
}

static bool is_inlined(Dwarf_Die *function)
{
  Dwarf_Attribute attribute;
  Dwarf_Word value;
  return dwarf_formudata(dwarf_attr(function, DW_AT_inline, &attribute), &value) == 0 &&
         (value == DW_INL_inlined || value == DW_INL_declared_inlined);
}

/* By its name alone: debugging information has methods below their classes. */
static bool may_be_meant(const struct search *s, const char *name)
{
  const char *last = s->item.pattern;
  for (const char *colons; (colons = strstr(last, "::"));)
    last = colons + 2;
  return fnmatch(last, name, 0) == 0;
}

/* Functions whose code was put where they are called, below a unit or a namespace. */
static void look_for_inlined(struct search *s, Dwarf_Die *parent)
{
  Dwarf_Die child;
  for (bool more = dwarf_child(parent, &child) == 0; more; more = dwarf_siblingof(&child, &child) == 0) {
    int tag = dwarf_tag(&child);
    const char *name = dwarf_diename(&child);
    if (tag == DW_TAG_namespace || tag == DW_TAG_class_type || tag == DW_TAG_structure_type)
      look_for_inlined(s, &child);
    if (tag != DW_TAG_subprogram || !name || !may_be_meant(s, name))
      continue;
    s->described++;
    if (is_inlined(&child))
      s->config->unseen_events = true;
  }
}

static void read_inlined(struct search *s)
{
  Dwarf *dwarf = dwarf_begin_elf(s->elf, DWARF_C_READ, NULL);
  Dwarf_Off at = 0, next;
  size_t header;
  Dwarf_Die unit;
  for (; dwarf && dwarf_nextcu(dwarf, at, &next, &header, NULL, NULL, NULL) == 0; at = next)
    if (dwarf_offdie(dwarf, at + header, &unit))
      look_for_inlined(s, &unit);
  dwarf_end(dwarf);
  if (s->matched && !s->described) /* nobody knows where else their code is */
    s->config->unseen_events = true;
}

bool watch_events(const char *program, const char *pattern, bool everywhere, struct control_config *config, char *error,
                  size_t error_size)
{
  struct search s = {.config = config};
  uint32_t before = config->calls;
  int fd;
  snprintf(s.item.pattern, sizeof s.item.pattern, "%s", pattern);
  if (open_program(&s, program, &fd, error, error_size)) {
    for (Elf_Scn *section = NULL; (section = elf_nextscn(s.elf, section));) {
      GElf_Shdr header;
      if (gelf_getshdr(section, &header) && (header.sh_type == SHT_SYMTAB || header.sh_type == SHT_DYNSYM))
        read_event_symbols(&s, section, &header);
    }
    read_inlined(&s);
    if (everywhere && config->calls == before && !strpbrk(pattern, "*?["))
      add_event_function(&s, pattern, 0);
    if (s.full)
      snprintf(error, error_size, "more than %d functions are to be watched", WATCHED_CALLS);
    else if (s.unmarked)
      snprintf(error, error_size, "%s was not compiled by heddle cc, so its calls cannot be watched", s.example);
  }
  bool right = s.elf && !s.full && !s.unmarked;
  close_program(&s, fd);
  return right;
}

/* ---- addresses ---- */

static uint64_t address_in(const struct search *s, Elf_Scn *section, const GElf_Shdr *header, const char *function)
{
  Elf_Data *data = elf_getdata(section, NULL);
  for (int i = 0; data && header->sh_entsize && i < (int)(header->sh_size / header->sh_entsize); i++) {
    GElf_Sym symbol;
    if (!gelf_getsym(data, i, &symbol) || GELF_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_shndx == SHN_UNDEF)
      continue;
    const char *name = elf_strptr(s->elf, header->sh_link, symbol.st_name);
    if (name && !strcmp(name, function))
      return symbol.st_value;
  }
  return 0;
}

bool watch_address(const char *program, const char *function, uint64_t *address, char *error, size_t error_size)
{
  struct search s = {0};
  int fd;
  *address = 0;
  bool open = open_program(&s, program, &fd, error, error_size);
  for (Elf_Scn *section = NULL; open && !*address && (section = elf_nextscn(s.elf, section));) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) && (header.sh_type == SHT_SYMTAB || header.sh_type == SHT_DYNSYM))
      *address = address_in(&s, section, &header, function);
  }
  if (open && !*address)
    snprintf(error, error_size, "the program has no function \"%s\", which a handler calls", function);
  close_program(&s, fd);
  return *address;
}
