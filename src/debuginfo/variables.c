/* SPDX-License-Identifier: Apache-2.0
 *
 * Names, types and values of data, from DWARF. Per module an index of all variables with a fixed address is made when
 * first asked; types are walked afresh each time. Nothing here knows of threads or bugs.
 */
#include "debuginfo/symbols_internal.h"

#include <dwarf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DIMENSIONS_MAX 8
#define DEPTH_MAX 32 /* of types in types: debug information may be damaged */

/* ---- types ---- */

bool type_of(Dwarf_Die *die, Dwarf_Die *type)
{
  Dwarf_Attribute attribute;
  Dwarf_Die found;
  return dwarf_attr_integrate(die, DW_AT_type, &attribute) && dwarf_formref_die(&attribute, &found) &&
         dwarf_peel_type(&found, type) == 0;
}

uint64_t type_size(Dwarf_Die *type)
{
  Dwarf_Word size;
  return dwarf_aggregate_size(type, &size) == 0 ? size : 0;
}

static bool is_aggregate(Dwarf_Die *type)
{
  const int tag = dwarf_tag(type);
  return tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type;
}

/* Members the implementation keeps for itself: naming them tells a reader nothing. */
static bool is_reserved(const char *name)
{
  return strncmp(name, "__", 2) == 0 || strncmp(name, "_M_", 3) == 0;
}

/* A class of the C++ library: its members are its own business, but for those of a pair. */
static bool is_library_class(Dwarf_Die *type)
{
  const char *file = die_file(type, DW_AT_decl_file), *name = dwarf_diename(type);
  return file && strstr(file, "/c++/") && !(name && strncmp(name, "pair<", 5) == 0);
}

/* Where a member lies in its struct. False for static members, bit fields and virtual bases. */
static bool member_offset(Dwarf_Die *member, uint64_t *offset)
{
  Dwarf_Attribute attribute;
  Dwarf_Word value = 0;
  if (dwarf_hasattr(member, DW_AT_bit_size) || dwarf_hasattr(member, DW_AT_external) ||
      dwarf_hasattr(member, DW_AT_declaration))
    return false;
  if (dwarf_attr(member, DW_AT_data_member_location, &attribute) && dwarf_formudata(&attribute, &value) != 0)
    return false;
  *offset = value;
  return true;
}

/* The next member or base class from *child on (which is itself a candidate). */
static bool seek_member(Dwarf_Die *child)
{
  do {
    const int tag = dwarf_tag(child);
    if (tag == DW_TAG_member || tag == DW_TAG_inheritance)
      return true;
  } while (dwarf_siblingof(child, child) == 0);
  return false;
}

bool type_member(Dwarf_Die *type, const char *name, Dwarf_Die *member)
{
  Dwarf_Die child, inner;
  if (!is_aggregate(type) || dwarf_child(type, &child) != 0)
    return false;
  while (seek_member(&child)) {
    const char *found = dwarf_diename(&child);
    if (found && strcmp(found, name) == 0 && dwarf_tag(&child) == DW_TAG_member) {
      *member = child;
      return true;
    }
    if ((!found || dwarf_tag(&child) == DW_TAG_inheritance) && type_of(&child, &inner) &&
        type_member(&inner, name, member))
      return true;
    if (dwarf_siblingof(&child, &child) != 0)
      break;
  }
  return false;
}

bool type_is_flexible(Dwarf_Die *type)
{
  Dwarf_Die child, last, inner;
  bool any = false;
  if (!is_aggregate(type) || dwarf_child(type, &child) != 0)
    return false;
  while (seek_member(&child)) {
    last = child;
    any = true;
    if (dwarf_siblingof(&child, &child) != 0)
      break;
  }
  return any && type_of(&last, &inner) && dwarf_tag(&inner) == DW_TAG_array_type && type_size(&inner) == 0;
}

struct walk {
  struct text_buffer *name;
  bool silent; /* inside a reserved member: only the type is of interest */
  Dwarf_Die *leaf;
  int depth;
};

static bool walk_type(struct walk *w, Dwarf_Die *type, uint64_t offset, uint64_t size);

static bool walk_member(struct walk *w, Dwarf_Die *member, uint64_t offset, uint64_t size)
{
  const char *name = dwarf_tag(member) == DW_TAG_member ? dwarf_diename(member) : NULL;
  Dwarf_Attribute attribute;
  Dwarf_Die type;
  if (!dwarf_attr_integrate(member, DW_AT_type, &attribute) || !dwarf_formref_die(&attribute, &type))
    return false;
  if (name && is_reserved(name))
    w->silent = true;
  if (name && !w->silent)
    text_add(w->name, ".%s", name);
  return walk_type(w, &type, offset, size);
}

static bool walk_struct(struct walk *w, Dwarf_Die *type, uint64_t offset, uint64_t size)
{
  const uint64_t needed = size ? size : 1;
  Dwarf_Die child, inner;
  uint64_t start;
  bool more = dwarf_child(type, &child) == 0;
  w->silent |= is_library_class(type);
  while (more && seek_member(&child)) {
    if (member_offset(&child, &start) && start <= offset && type_of(&child, &inner)) {
      const uint64_t length = type_size(&inner);
      const bool flexible = length == 0 && dwarf_tag(&inner) == DW_TAG_array_type;
      if (flexible || offset + needed <= start + length)
        return walk_member(w, &child, offset - start, size);
    }
    more = dwarf_siblingof(&child, &child) == 0;
  }
  if (offset && !w->silent)
    text_add(w->name, "+%" PRIu64, offset);
  return offset == 0;
}

/* Numbers of elements by dimension; 0 where unknown. Returns how many dimensions. */
static int array_dimensions(Dwarf_Die *type, uint64_t dimension[DIMENSIONS_MAX])
{
  int n = 0;
  Dwarf_Die child;
  bool more = dwarf_child(type, &child) == 0;
  for (; more && n < DIMENSIONS_MAX; more = dwarf_siblingof(&child, &child) == 0) {
    Dwarf_Attribute attribute;
    Dwarf_Word value;
    if (dwarf_tag(&child) != DW_TAG_subrange_type)
      continue;
    dimension[n] = 0;
    if (dwarf_attr(&child, DW_AT_count, &attribute) && dwarf_formudata(&attribute, &value) == 0)
      dimension[n] = value;
    else if (dwarf_attr(&child, DW_AT_upper_bound, &attribute) && dwarf_formudata(&attribute, &value) == 0)
      dimension[n] = value + 1;
    n++;
  }
  return n;
}

static void name_elements(struct walk *w, uint64_t index, uint64_t count, const uint64_t *dimension, int dimensions)
{
  uint64_t stride = 1;
  for (int i = 1; i < dimensions; i++)
    stride *= dimension[i] ? dimension[i] : 1;
  for (int i = 0; i < dimensions && !w->silent; i++) {
    const bool range = count > 1 && i == dimensions - 1;
    if (range)
      text_add(w->name, "[%" PRIu64 "..%" PRIu64 "]", index / stride, index / stride + count - 1);
    else
      text_add(w->name, "[%" PRIu64 "]", index / stride);
    index %= stride;
    if (i + 1 < dimensions)
      stride /= dimension[i + 1] ? dimension[i + 1] : 1;
  }
}

static bool walk_array(struct walk *w, Dwarf_Die *type, uint64_t offset, uint64_t size)
{
  uint64_t dimension[DIMENSIONS_MAX];
  Dwarf_Attribute attribute;
  Dwarf_Die element;
  const uint64_t whole = type_size(type);
  if (!dwarf_attr_integrate(type, DW_AT_type, &attribute) || !dwarf_formref_die(&attribute, &element))
    return false;
  const uint64_t each = type_size(&element);
  if (each == 0 || (offset == 0 && whole && size >= whole && size > each))
    return offset == 0;
  const int dimensions = array_dimensions(type, dimension);
  const uint64_t inside = offset % each;
  const uint64_t count = size > each ? (inside + size + each - 1) / each : 1;
  name_elements(w, offset / each, count, dimension, dimensions);
  if (count > 1)
    return false;
  return walk_type(w, &element, inside, size);
}

static bool walk_type(struct walk *w, Dwarf_Die *type, uint64_t offset, uint64_t size)
{
  Dwarf_Die peeled;
  *w->leaf = *type;
  if (++w->depth > DEPTH_MAX || dwarf_peel_type(type, &peeled) != 0)
    return false;
  if (is_aggregate(&peeled))
    return walk_struct(w, &peeled, offset, size);
  if (dwarf_tag(&peeled) == DW_TAG_array_type)
    return walk_array(w, &peeled, offset, size);
  if (offset && !w->silent)
    text_add(w->name, "+%" PRIu64, offset);
  return offset == 0;
}

bool type_walk(Dwarf_Die *type, uint64_t offset, uint64_t size, struct text_buffer *name, Dwarf_Die *leaf)
{
  struct walk w = {.name = name, .leaf = leaf};
  return walk_type(&w, type, offset, size);
}

/* ---- the index ---- */

/* The fixed address of a variable. Not those on stacks, in registers or in thread-local memory. */
static bool fixed_address(Dwarf_Die *die, uintptr_t *addr)
{
  Dwarf_Attribute attribute, address;
  Dwarf_Op *ops;
  size_t count;
  Dwarf_Addr value;
  if (!dwarf_attr(die, DW_AT_location, &attribute) || dwarf_getlocation(&attribute, &ops, &count) != 0 || count != 1)
    return false;
  if (ops[0].atom == DW_OP_addr) {
    *addr = ops[0].number;
    return true;
  }
  if (ops[0].atom != DW_OP_addrx && ops[0].atom != DW_OP_GNU_addr_index)
    return false;
  if (dwarf_getlocation_attr(&attribute, &ops[0], &address) != 0 || dwarf_formaddr(&address, &value) != 0)
    return false;
  *addr = value;
  return true;
}

static void index_variable(struct module *m, Dwarf_Die *die, Dwarf_Addr bias)
{
  uintptr_t addr;
  Dwarf_Die type;
  if (!dwarf_diename(die) || !fixed_address(die, &addr) || addr == 0 || !type_of(die, &type))
    return;
  if (m->variable_count == m->variable_room) {
    const size_t room = m->variable_room ? m->variable_room * 2 : 64;
    struct variable *bigger = realloc(m->variables, room * sizeof *bigger);
    if (!bigger)
      return; /* one name less */
    m->variables = bigger;
    m->variable_room = room;
  }
  const uint64_t size = type_size(&type);
  m->variables[m->variable_count++] =
      (struct variable){.low = addr + bias, .high = addr + bias + (size ? size : 1), .die = *die};
}

/* Goes through all entries that can hold a variable with a fixed address. */
static void index_children(struct module *m, Dwarf_Die *parent, Dwarf_Addr bias, int depth)
{
  Dwarf_Die child;
  bool more = depth < 64 && dwarf_child(parent, &child) == 0;
  for (; more; more = dwarf_siblingof(&child, &child) == 0) {
    switch (dwarf_tag(&child)) {
    case DW_TAG_variable:
      index_variable(m, &child, bias);
      break;
    case DW_TAG_namespace:
    case DW_TAG_subprogram:
    case DW_TAG_lexical_block:
    case DW_TAG_inlined_subroutine:
      index_children(m, &child, bias, depth + 1);
      break;
    default:
      break;
    }
  }
}

static int by_address(const void *a, const void *b)
{
  const struct variable *left = a, *right = b;
  return left->low < right->low ? -1 : left->low > right->low;
}

static void index_module(struct module *m)
{
  Dwarf_Addr bias;
  Dwarf *dwarf = module_dwarf(m, &bias);
  Dwarf_CU *unit = NULL;
  Dwarf_Die die, split;
  uint8_t kind;
  m->indexed = true;
  while (dwarf && dwarf_get_units(dwarf, unit, &unit, NULL, &kind, &die, &split) == 0) {
    const bool use_split = kind == DW_UT_skeleton && split.addr;
    index_children(m, use_split ? &split : &die, bias, 0);
  }
  if (m->variable_count)
    qsort(m->variables, m->variable_count, sizeof *m->variables, by_address);
}

static const struct variable *find_variable(struct symbols *s, uintptr_t addr)
{
  struct module *m = module_of(s, addr);
  if (!m)
    return NULL;
  if (!m->indexed)
    index_module(m);
  size_t low = 0, high = m->variable_count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (m->variables[middle].low <= addr)
      low = middle + 1;
    else
      high = middle;
  }
  return low > 0 && addr < m->variables[low - 1].high ? &m->variables[low - 1] : NULL;
}

/* The member by that path (`head.next`), from the type on. */
static bool find_member(Dwarf_Die *type, const char *path, uint64_t *offset, uint64_t *bytes)
{
  char name[128];
  Dwarf_Die member, peeled;
  uint64_t inside;
  if (!*path) {
    *bytes = type_size(type);
    return *bytes;
  }
  const size_t length = strcspn(path, ".");
  snprintf(name, sizeof name, "%.*s", (int)length, path);
  if (dwarf_peel_type(type, &peeled) != 0 || !type_member(&peeled, name, &member) || !member_offset(&member, &inside) ||
      !type_of(&member, &peeled))
    return false;
  *offset += inside;
  return find_member(&peeled, path + length + (path[length] == '.'), offset, bytes);
}

bool symbols_find_variable(struct symbols *s, const char *name, uint64_t *place, uint64_t *bytes)
{
  struct module *m = &s->modules[0];
  const size_t length = strcspn(name, ".");
  bool found = false;
  module_of(s, 0); /* makes the bounds known */
  if (!m->indexed)
    index_module(m);
  for (size_t i = 0; i < m->variable_count; i++) {
    Dwarf_Die die = m->variables[i].die, type;
    char own[256];
    struct text_buffer text = {own, sizeof own, 0};
    uint64_t at = m->variables[i].low - m->bias, size;
    if (!qualified_name(&die, &text) || strlen(own) != length || strncmp(own, name, length) != 0 ||
        !type_of(&die, &type) || !find_member(&type, name + length + (name[length] == '.'), &at, &size))
      continue;
    if (found && at != *place)
      return false;
    found = true;
    *place = at;
    *bytes = size;
  }
  return found;
}

/* Names a variable and finds the type at the address. False: no debug information for it. */
static bool variable_walk(struct symbols *s, uintptr_t addr, size_t size, struct text_buffer *name, bool *whole,
                          Dwarf_Die *leaf)
{
  const struct variable *variable = find_variable(s, addr);
  Dwarf_Attribute attribute;
  Dwarf_Die die, type;
  if (!variable)
    return false;
  die = variable->die;
  if (!qualified_name(&die, name))
    return false;
  *whole = dwarf_attr_integrate(&die, DW_AT_type, &attribute) && dwarf_formref_die(&attribute, &type) &&
           type_walk(&type, addr - variable->low, size, name, leaf);
  return true;
}

static bool elf_variable(struct symbols *s, uintptr_t addr, struct text_buffer *name)
{
  GElf_Off offset;
  GElf_Sym symbol;
  struct module *m = module_of(s, addr);
  const char *found = m ? dwfl_module_addrinfo(m->dwfl, addr, &offset, &symbol, NULL, NULL, NULL) : NULL;
  if (!found || GELF_ST_TYPE(symbol.st_info) == STT_FUNC || (offset && offset >= symbol.st_size))
    return false;
  char plain[256];
  demangle(found, plain, sizeof plain);
  text_add(name, "%s", plain);
  if (offset)
    text_add(name, "+%" PRIu64, (uint64_t)offset);
  return true;
}

bool symbols_variable(struct symbols *s, uintptr_t addr, size_t size, char *out, size_t n)
{
  struct text_buffer name = {out, n, 0};
  Dwarf_Die leaf;
  bool whole;
  out[0] = '\0';
  return variable_walk(s, addr, size, &name, &whole, &leaf) || elf_variable(s, addr, &name);
}

/* A block that no variable tells of. Where a library allocated it is no help. */
static void block_name(struct symbols *s, const struct memory_place *place, struct text_buffer *name)
{
  char where[256];
  struct source_place site;
  static const char *const kinds[] = {"heap block", "memory", "shared memory"};
  static const char *const from[] = {"from", "mapped at", "made at"};
  text_add(name, "%s", kinds[place->kind]);
  if (place->block_size && place->kind == BLOCK_HEAP)
    text_add(name, " of %" PRIu64 " byte%s", place->block_size, place->block_size == 1 ? "" : "s");
  symbols_format_place(s, place->block_pc, where, sizeof where);
  symbols_line(s, place->block_pc, &site);
  if (!site.library)
    text_add(name, " %s %s", from[place->kind], where);
  if (place->block_offset)
    text_add(name, ", offset %" PRIu64, place->block_offset);
}

/* The slot for a place, emptied when another one was in it. */
static struct known_place *known_place(struct symbols *s, const struct memory_place *p)
{
  const uint64_t mixed = (p->addr ^ p->block_offset ^ (uint64_t)p->local_offset ^ p->length) * 0x9e3779b97f4a7c15;
  struct known_place *k = &s->known[mixed >> 58];
  const struct memory_place *q = &k->place;
  if (p->addr != q->addr || p->length != q->length || p->whole != q->whole || p->block_pc != q->block_pc ||
      p->block_offset != q->block_offset || p->block_size != q->block_size || p->local_pc != q->local_pc ||
      p->local_offset != q->local_offset) {
    k->place = *p;
    k->typed = k->named = false;
  }
  return k;
}

static bool memory_name(struct symbols *s, const struct memory_place *place, char *out, size_t n)
{
  struct text_buffer name = {out, n, 0};
  Dwarf_Die leaf;
  out[0] = '\0';
  if (place->block_pc) {
    if (heap_walk(s, place, &name, &leaf))
      return true;
    name.used = 0;
    block_name(s, place, &name);
    return true;
  }
  if (symbols_local(s, place, out, n) || symbols_variable(s, place->addr, place->length, out, n) ||
      constant_text(s, place->addr, &name))
    return true;
  const bool constant = symbols_is_constant(s, place->addr);
  if (constant)
    text_add(&name, "constant data");
  else
    text_add(&name, "0x%" PRIxPTR, place->addr);
  return constant;
}

bool symbols_memory(struct symbols *s, const struct memory_place *place, char *out, size_t n)
{
  if (!s || n > sizeof s->known->name)
    return memory_name(s, place, out, n);
  struct known_place *k = known_place(s, place);
  if (!k->named) {
    k->has_name = memory_name(s, place, k->name, sizeof k->name);
    k->named = true;
  }
  snprintf(out, n, "%s", k->name);
  return k->has_name;
}

bool symbols_is_named(struct symbols *s, const struct memory_place *place)
{
  char unused[256];
  struct text_buffer name = {unused, sizeof unused, 0};
  Dwarf_Die leaf;
  if (!s)
    return false;
  if (place->block_pc)
    return heap_walk(s, place, &name, &leaf);
  const struct variable *variable = find_variable(s, place->addr); /* those of libraries have no debug information */
  return variable || symbols_local(s, place, unused, sizeof unused);
}

/* ---- values ---- */

static bool find_type(struct symbols *s, const struct memory_place *place, Dwarf_Die *leaf)
{
  char unused[512];
  struct text_buffer name = {unused, sizeof unused, 0};
  bool whole = false;
  if (place->block_pc)
    return heap_walk(s, place, &name, leaf);
  if (place->local_pc)
    return local_walk(s, place, &name, leaf);
  return variable_walk(s, place->addr, place->length, &name, &whole, leaf) && whole;
}

/* The type of a place, not peeled. False: unknown. */
static bool place_type(struct symbols *s, const struct memory_place *place, size_t size, Dwarf_Die *leaf)
{
  struct memory_place sized = *place;
  sized.length = (uint32_t)size;
  if (!s)
    return false;
  struct known_place *k = known_place(s, &sized);
  if (!k->typed) {
    k->has_type = find_type(s, &sized, &k->type);
    k->typed = true;
  }
  *leaf = k->type;
  return k->has_type;
}

/* uint8_t and its like are numbers, though C makes them characters. */
static bool is_number_typedef(Dwarf_Die *type)
{
  Dwarf_Die at = *type;
  Dwarf_Attribute attribute;
  for (int i = 0; i < DEPTH_MAX && dwarf_tag(&at) != DW_TAG_base_type; i++) {
    const char *name = dwarf_tag(&at) == DW_TAG_typedef ? dwarf_diename(&at) : NULL;
    if (name && (strstr(name, "int") || strstr(name, "byte") || strstr(name, "u8") || strstr(name, "s8")))
      return true;
    if (!dwarf_attr_integrate(&at, DW_AT_type, &attribute) || !dwarf_formref_die(&attribute, &at))
      return false;
  }
  return false;
}

static enum value_kind base_kind(Dwarf_Die *base, Dwarf_Die *named)
{
  Dwarf_Attribute attribute;
  Dwarf_Word encoding;
  if (!dwarf_attr_integrate(base, DW_AT_encoding, &attribute) || dwarf_formudata(&attribute, &encoding) != 0)
    return VALUE_UNKNOWN;
  switch (encoding) {
  case DW_ATE_boolean:
    return VALUE_BOOL;
  case DW_ATE_signed_char:
    return is_number_typedef(named) ? VALUE_SIGNED : VALUE_CHAR;
  case DW_ATE_unsigned_char:
    return is_number_typedef(named) ? VALUE_UNSIGNED : VALUE_CHAR;
  case DW_ATE_signed:
    return VALUE_SIGNED;
  case DW_ATE_unsigned:
  case DW_ATE_UTF:
    return VALUE_UNSIGNED;
  case DW_ATE_float:
    return VALUE_FLOAT;
  default:
    return VALUE_UNKNOWN;
  }
}

static enum value_kind kind_of(Dwarf_Die *named, size_t size, Dwarf_Die *peeled)
{
  if (dwarf_peel_type(named, peeled) != 0 || type_size(peeled) != size)
    return VALUE_UNKNOWN;
  switch (dwarf_tag(peeled)) {
  case DW_TAG_base_type:
    return base_kind(peeled, named);
  case DW_TAG_enumeration_type:
    return VALUE_ENUM;
  case DW_TAG_pointer_type:
  case DW_TAG_reference_type:
  case DW_TAG_rvalue_reference_type:
    return VALUE_POINTER;
  default:
    return VALUE_UNKNOWN;
  }
}

enum value_kind symbols_variable_type(struct symbols *s, uintptr_t addr, size_t size)
{
  const struct memory_place place = {.addr = addr};
  Dwarf_Die leaf, peeled;
  return place_type(s, &place, size, &leaf) ? kind_of(&leaf, size, &peeled) : VALUE_UNKNOWN;
}

static int64_t sign_extend(uint64_t value, size_t size)
{
  switch (size) {
  case 1:
    return (int8_t)value;
  case 2:
    return (int16_t)value;
  case 4:
    return (int32_t)value;
  default:
    return (int64_t)value;
  }
}

static uint64_t zero_extend(uint64_t value, size_t size)
{
  return size >= 8 || size == 0 ? value : value & ((UINT64_C(1) << (size * 8)) - 1);
}

static bool format_enumerator(Dwarf_Die *type, uint64_t value, size_t size, char *out, size_t n)
{
  Dwarf_Die child;
  bool more = dwarf_child(type, &child) == 0;
  for (; more; more = dwarf_siblingof(&child, &child) == 0) {
    Dwarf_Attribute attribute;
    Dwarf_Sword number;
    if (dwarf_tag(&child) != DW_TAG_enumerator || !dwarf_attr(&child, DW_AT_const_value, &attribute) ||
        dwarf_formsdata(&attribute, &number) != 0 || zero_extend((uint64_t)number, size) != zero_extend(value, size))
      continue;
    snprintf(out, n, "%s", dwarf_diename(&child));
    return true;
  }
  return false;
}

static void format_float(uint64_t value, size_t size, char *out, size_t n)
{
  double number = 0;
  if (size == sizeof(float)) {
    float narrow;
    const uint32_t bits = (uint32_t)value;
    memcpy(&narrow, &bits, sizeof narrow);
    number = (double)narrow;
  } else {
    memcpy(&number, &value, sizeof number);
  }
  snprintf(out, n, "%g", number);
}

/* What a pointer points to; size bytes, 0 when unknown. */
static void format_pointer(struct symbols *s, uint64_t value, size_t size, char *out, size_t n)
{
  char name[200] = "";
  struct text_buffer literal = {name, sizeof name, 0};
  struct source_place place;
  if (value == 0)
    snprintf(out, n, "NULL");
  else if (symbols_variable(s, (uintptr_t)value, size, name, sizeof name))
    snprintf(out, n, "&%s", name);
  else if (constant_text(s, (uintptr_t)value, &literal))
    snprintf(out, n, "%s", name);
  else if (symbols_exact_line(s, (uintptr_t)value, &place) && place.function)
    snprintf(out, n, "%s", place.function);
  else
    snprintf(out, n, "0x%" PRIx64, value);
}

static void format_untyped(struct symbols *s, uint64_t value, size_t size, char *out, size_t n)
{
  const int64_t number = sign_extend(value, size);
  if (number > -1000000 && number < 1000000)
    snprintf(out, n, "%" PRId64, number);
  else if (size == sizeof(void *))
    format_pointer(s, value, 0, out, n);
  else
    snprintf(out, n, "0x%" PRIx64, zero_extend(value, size));
}

static void format_character(uint64_t value, char *out, size_t n)
{
  const char c = (char)value;
  if (c == '\'' || c == '\\')
    snprintf(out, n, "'\\%c'", c);
  else if (c >= ' ' && c < 0x7f)
    snprintf(out, n, "'%c'", c);
  else if (c == '\n')
    snprintf(out, n, "'\\n'");
  else
    snprintf(out, n, "%d", c);
}

void type_format_value(struct symbols *s, Dwarf_Die *type, size_t size, uint64_t value, char *out, size_t n)
{
  Dwarf_Die leaf, peeled;
  const enum value_kind kind = type ? kind_of(type, size, &peeled) : VALUE_UNKNOWN;
  switch (kind) {
  case VALUE_SIGNED:
    snprintf(out, n, "%" PRId64, sign_extend(value, size));
    return;
  case VALUE_UNSIGNED:
    snprintf(out, n, "%" PRIu64, zero_extend(value, size));
    return;
  case VALUE_BOOL:
    if (zero_extend(value, size) <= 1)
      snprintf(out, n, "%s", value & 1 ? "true" : "false");
    else
      snprintf(out, n, "%" PRIu64, zero_extend(value, size));
    return;
  case VALUE_CHAR:
    format_character(value, out, n);
    return;
  case VALUE_POINTER:
    format_pointer(s, zero_extend(value, size), type_of(&peeled, &leaf) ? type_size(&leaf) : 0, out, n);
    return;
  case VALUE_FLOAT:
    format_float(value, size, out, n);
    return;
  case VALUE_ENUM:
    if (!format_enumerator(&peeled, value, size, out, n))
      snprintf(out, n, "%" PRId64, sign_extend(value, size));
    return;
  default:
    format_untyped(s, value, size, out, n);
  }
}

void symbols_format_value(struct symbols *s, const struct memory_place *place, size_t size, uint64_t value, char *out,
                          size_t n)
{
  Dwarf_Die leaf;
  const bool typed = place && place_type(s, place, size, &leaf);
  type_format_value(s, typed ? &leaf : NULL, size, value, out, n);
}
