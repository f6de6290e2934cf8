/* SPDX-License-Identifier: Apache-2.0
 *
 * Heap blocks by the pointers that lead to them: `p->misses++` in a function with a variable `struct pool *p` makes
 * offset 44 of the block that was accessed there `p->misses`, if that is where a pool has its member of that name. The
 * same for what members of `this` and captures of a lambda point to, and for `this` itself. Where nothing, or more than
 * one thing, fits there is no name, rather than a wrong one. The first user that tells decides: a block has one name.
 */
#include "debuginfo/symbols_internal.h"

#include <ctype.h>
#include <dwarf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SHARED_COUNTS 16 /* bytes before the object in a block of make_shared: what counts it */
#define BLOCKS_MOST 4096
#define PATH_SIZE 256

/* ---- blocks ---- */

static struct heap_block *slot_of(struct heap_block *blocks, size_t room, uintptr_t base)
{
  size_t at = (size_t)((base >> 4) * 0x9e3779b97f4a7c15) & (room - 1);
  while (blocks[at].base && blocks[at].base != base)
    at = (at + 1) & (room - 1);
  return &blocks[at];
}

static bool grow(struct symbols *s)
{
  size_t room = s->block_room ? 2 * s->block_room : 64;
  struct heap_block *grown = room <= 2 * BLOCKS_MOST ? calloc(room, sizeof *grown) : NULL;
  if (!grown)
    return false;
  for (size_t i = 0; i < s->block_room; i++)
    if (s->blocks[i].base)
      *slot_of(grown, room, s->blocks[i].base) = s->blocks[i];
  free(s->blocks);
  s->blocks = grown;
  s->block_room = room;
  return true;
}

/* The entry of a block, made when new; NULL: there are too many. */
static struct heap_block *entry_of(struct symbols *s, uintptr_t base)
{
  if (2 * s->block_count >= s->block_room && !grow(s))
    return NULL;
  struct heap_block *block = slot_of(s->blocks, s->block_room, base);
  if (!block->base) {
    *block = (struct heap_block){.base = base};
    s->block_count++;
  }
  return block;
}

const struct heap_block *heap_block_at(struct symbols *s, uintptr_t base)
{
  const struct heap_block *block = s->block_room && base ? slot_of(s->blocks, s->block_room, base) : NULL;
  return block && block->expression ? block : NULL;
}

void symbols_forget_blocks(struct symbols *s)
{
  if (!s || !s->block_count)
    return;
  heap_blocks_free(s);
  memset(s->known, 0, sizeof s->known);
}

void heap_blocks_free(struct symbols *s)
{
  for (size_t i = 0; i < s->block_room; i++)
    free(s->blocks[i].expression);
  free(s->blocks);
  s->blocks = NULL;
  s->block_count = s->block_room = 0;
}

/* ---- pointers ---- */

struct user {
  const struct memory_place *place;
  const char *line;           /* of source */
  struct heap_block found;    /* what fits */
  char expression[PATH_SIZE]; /* that leads to it */
  bool several;
};

bool has_name(const char *text, const char *name)
{
  const size_t length = strlen(name);
  for (const char *at = text; length && (at = strstr(at, name)); at++) {
    const char before = at > text ? at[-1] : ' ', after = at[length];
    if (!isalnum((unsigned char)before) && before != '_' && !isalnum((unsigned char)after) && after != '_')
      return true;
  }
  return false;
}

/* Whether the line has the last member of a path like `.table[3].next`. */
static bool names_member(const char *line, const char *path)
{
  const char *dot = strrchr(path, '.');
  char member[128];
  if (!dot)
    return false;
  snprintf(member, sizeof member, "%.*s", (int)strcspn(dot + 1, "["), dot + 1);
  return has_name(line, member);
}

/* Whether the place is a member of an object of the type, as the line says. */
static void try_type(struct user *u, const char *expression, Dwarf_Die *type, uint64_t counts)
{
  char path[PATH_SIZE] = "";
  struct text_buffer text = {path, sizeof path, 0};
  Dwarf_Die leaf;
  const uint64_t size = type_size(type), offset = u->place->block_offset;
  if (!size || offset < counts || offset - counts >= size ||
      (u->place->block_size && u->place->block_size != size + counts) ||
      !type_walk(type, offset - counts, u->place->length, &text, &leaf) || !names_member(u->line, path))
    return;
  if (u->found.size && strcmp(u->expression, expression))
    u->several = true;
  u->found = (struct heap_block){.pointee = *type, .size = size, .counts = counts};
  snprintf(u->expression, sizeof u->expression, "%s", expression);
}

static bool is_class(Dwarf_Die *type)
{
  const int tag = dwarf_tag(type);
  return tag == DW_TAG_class_type || tag == DW_TAG_structure_type || tag == DW_TAG_union_type;
}

static bool is_shared(Dwarf_Die *type)
{
  const char *name = dwarf_diename(type);
  return name && !strncmp(name, "shared_ptr<", 11);
}

/* A variable or a member that may point to the block. Captures have two underscores before their names. */
static void try_pointer(struct user *u, const char *name, Dwarf_Die *type)
{
  Dwarf_Die pointee = *type;
  const char *called = strncmp(name, "__", 2) ? name : name + 2;
  const int tag = dwarf_tag(type);
  const bool reference = tag == DW_TAG_reference_type && type_of(type, &pointee);
  if ((!reference && !type_dereference(&pointee)) || tag == DW_TAG_array_type || !is_class(&pointee) ||
      !has_name(u->line, called))
    return;
  try_type(u, called, &pointee, 0);
  if (is_shared(type))
    try_type(u, called, &pointee, SHARED_COUNTS);
}

static void try_members(struct user *u, Dwarf_Die *class)
{
  Dwarf_Die child, type;
  bool more = dwarf_child(class, &child) == 0;
  for (; more; more = dwarf_siblingof(&child, &child) == 0) {
    const char *name = dwarf_tag(&child) == DW_TAG_member ? dwarf_diename(&child) : NULL;
    if (name && type_of(&child, &type))
      try_pointer(u, name, &type);
  }
}

/* The object of a member function, which has no name here but its type; or the closure of a lambda. */
static void try_own_object(struct user *u, Dwarf_Die *pointer)
{
  Dwarf_Die class;
  char expression[PATH_SIZE];
  if (!type_of(pointer, &class) || !is_class(&class))
    return;
  const char *name = dwarf_diename(&class);
  if (name && isalpha((unsigned char)*name)) {
    snprintf(expression, sizeof expression, "(new %s)", name);
    try_type(u, expression, &class, 0);
    if (!u->found.size)
      try_type(u, expression, &class, SHARED_COUNTS);
  }
  try_members(u, &class);
}

static void try_variable(struct user *u, Dwarf_Die *variable)
{
  Dwarf_Die type;
  const char *name = dwarf_diename(variable);
  const int tag = dwarf_tag(variable);
  if ((tag != DW_TAG_variable && tag != DW_TAG_formal_parameter) || !name || !type_of(variable, &type))
    return;
  if (!strcmp(name, "this") || !strcmp(name, "__closure"))
    try_own_object(u, &type);
  else
    try_pointer(u, name, &type);
}

static void try_scopes(struct user *u, const struct unit_range *range, Dwarf_Addr pc)
{
  Dwarf_Die *scopes = NULL, unit = range->scopes, child;
  const int count = dwarf_getscopes(&unit, pc, &scopes);
  for (int i = 0; i < count && dwarf_tag(&scopes[i]) != DW_TAG_compile_unit; i++) {
    bool more = dwarf_child(&scopes[i], &child) == 0;
    for (; more; more = dwarf_siblingof(&child, &child) == 0)
      try_variable(u, &child);
    if (dwarf_tag(&scopes[i]) == DW_TAG_inlined_subroutine && u->found.size)
      break; /* the line is its own */
  }
  free(scopes);
}

/* ---- learning ---- */

void symbols_learn_block(struct symbols *s, const struct memory_place *place, uintptr_t pc)
{
  Dwarf_Addr bias;
  struct source_place where;
  if (!s || !place->block_pc || place->whole || place->addr < place->block_offset ||
      heap_site_tells(s, place->block_pc))
    return;
  struct heap_block *block = entry_of(s, place->addr - place->block_offset);
  if (!block || block->expression || block->asked_count == sizeof block->asked / sizeof block->asked[0])
    return;
  for (unsigned i = 0; i < block->asked_count; i++)
    if (block->asked[i] == pc)
      return;
  block->asked[block->asked_count++] = pc;
  struct module *m = module_of(s, pc - 1);
  const struct unit_range *range = m ? module_unit(m, pc - 1, &bias) : NULL;
  struct user u = {.place = place};
  if (!range || !symbols_line(s, pc, &where) || !where.line || source_is_newer(s, where.file) ||
      !(u.line = symbols_source_line(s, where.file, where.line)))
    return;
  try_scopes(&u, range, pc - 1 - bias);
  if (!u.found.size || u.several)
    return;
  block->pointee = u.found.pointee;
  block->size = u.found.size;
  block->counts = u.found.counts;
  block->expression = strdup(u.expression);
  memset(s->known, 0, sizeof s->known); /* it may have had no name until now */
}
