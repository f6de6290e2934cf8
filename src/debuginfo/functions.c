/* SPDX-License-Identifier: Apache-2.0
 *
 * Functions of a program: their names, and which of them are inlined at an address. From DWARF.
 */
#include "debuginfo/symbols_internal.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX 64

static bool is_class(Dwarf_Die *die)
{
  const int tag = dwarf_tag(die);
  return tag == DW_TAG_class_type || tag == DW_TAG_structure_type || tag == DW_TAG_union_type;
}

const char *die_file(Dwarf_Die *die, unsigned attribute)
{
  Dwarf_Attribute found;
  Dwarf_Word number;
  Dwarf_Die unit;
  Dwarf_Files *files;
  if (!dwarf_attr_integrate(die, attribute, &found) || dwarf_formudata(&found, &number) != 0 ||
      !dwarf_diecu(die, &unit, NULL, NULL) || dwarf_getsrcfiles(&unit, &files, NULL) != 0)
    return NULL;
  return dwarf_filesrc(files, number, NULL, NULL);
}

/* ---- names ---- */

Dwarf_Die declaration_of(const Dwarf_Die *die)
{
  Dwarf_Die declaration = *die;
  Dwarf_Attribute attribute;
  for (int i = 0; i < 4; i++) {
    if (!dwarf_attr(&declaration, DW_AT_abstract_origin, &attribute) &&
        !dwarf_attr(&declaration, DW_AT_specification, &attribute))
      break;
    if (!dwarf_formref_die(&attribute, &declaration))
      break;
  }
  return declaration;
}

/* The compilers give lambdas no name, or one like `<lambda(int)>`. */
static bool is_lambda(Dwarf_Die *die, Dwarf_Die *class)
{
  const char *name = dwarf_diename(die), *outer = is_class(class) ? dwarf_diename(class) : NULL;
  return name && strcmp(name, "operator()") == 0 && is_class(class) && (!outer || strncmp(outer, "<lambda", 7) == 0);
}

/* The length of the source's name in one that gcc or clang give to the code of an OpenMP region; 0: it is none. */
static size_t region_length(const char *name)
{
  static const char *const marks[] = {"._omp_fn.", ".omp_outlined"};
  for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
    const char *mark = strstr(name, marks[i]);
    if (mark && mark > name)
      return (size_t)(mark - name);
  }
  return 0;
}

bool qualified_name(Dwarf_Die *die, struct text_buffer *out)
{
  Dwarf_Die declaration = declaration_of(die), *scopes = NULL;
  const char *name = dwarf_diename(die);
  if (!name)
    return false;
  if (region_length(name)) {
    text_add(out, "a parallel region of %.*s", (int)region_length(name), name);
    return true;
  }
  const int count = dwarf_getscopes_die(&declaration, &scopes);
  if (count > 1 && is_lambda(die, &scopes[1])) {
    text_add(out, "a lambda");
    for (int i = 2; i < count; i++) {
      if (dwarf_tag(&scopes[i]) != DW_TAG_subprogram)
        continue;
      text_add(out, " in ");
      qualified_name(&scopes[i], out);
      break;
    }
    free(scopes);
    return true;
  }
  for (int i = count - 1; i > 0; i--) {
    if (dwarf_tag(&scopes[i]) != DW_TAG_namespace && !is_class(&scopes[i]))
      continue;
    const char *outer = dwarf_diename(&scopes[i]);
    text_add(out, "%s::", outer ? outer : "(anonymous)");
  }
  free(scopes);
  text_add(out, "%s", name);
  return true;
}

/* ---- the function at an address ---- */

static bool find_function(Dwarf_Die *parent, Dwarf_Addr pc, int depth, Dwarf_Die *out)
{
  Dwarf_Die child;
  bool more = depth < DEPTH_MAX && dwarf_child(parent, &child) == 0;
  for (; more; more = dwarf_siblingof(&child, &child) == 0) {
    const int tag = dwarf_tag(&child);
    if (tag == DW_TAG_subprogram && dwarf_haspc(&child, pc) > 0) {
      *out = child;
      return true;
    }
    const bool scope =
        tag == DW_TAG_namespace || tag == DW_TAG_subprogram || tag == DW_TAG_lexical_block || is_class(&child);
    if (scope && find_function(&child, pc, depth + 1, out))
      return true;
  }
  return false;
}

bool function_at(const struct unit_range *range, Dwarf_Addr pc, Dwarf_Die *out)
{
  Dwarf_Die unit = range->scopes;
  return find_function(&unit, pc, 0, out);
}

/* The child of a scope, a block or an inlined function, that has the pc. */
static bool inner_scope(Dwarf_Die *scope, Dwarf_Addr pc)
{
  Dwarf_Die child;
  bool more = dwarf_child(scope, &child) == 0;
  for (; more; more = dwarf_siblingof(&child, &child) == 0) {
    const int tag = dwarf_tag(&child);
    if ((tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine) && dwarf_haspc(&child, pc) > 0) {
      *scope = child;
      return true;
    }
  }
  return false;
}

static bool variable_in(Dwarf_Die *scope, const char *name, Dwarf_Die *out)
{
  Dwarf_Die child;
  bool more = dwarf_child(scope, &child) == 0;
  for (; more; more = dwarf_siblingof(&child, &child) == 0) {
    const int tag = dwarf_tag(&child);
    const char *called = tag == DW_TAG_variable || tag == DW_TAG_formal_parameter ? dwarf_diename(&child) : NULL;
    if (called && !strcmp(called, name)) {
      *out = child;
      return true;
    }
  }
  return false;
}

bool variable_around(const struct unit_range *range, Dwarf_Addr pc, const char *name, Dwarf_Die *out)
{
  Dwarf_Die scope;
  bool found = false, more = function_at(range, pc, &scope);
  for (int i = 0; i < DEPTH_MAX && more; i++) {
    found |= variable_in(&scope, name, out);
    more = inner_scope(&scope, pc);
  }
  return found;
}

/* The function and those inlined in each other at a pc, outermost first. Returns how many, 0 for none. */
static int chain_at(const struct unit_range *range, Dwarf_Addr pc, Dwarf_Die chain[DEPTH_MAX])
{
  int count = 0;
  Dwarf_Die scope;
  if (!function_at(range, pc, &scope))
    return 0;
  chain[count++] = scope;
  for (int i = 0; i < DEPTH_MAX && count < DEPTH_MAX && inner_scope(&scope, pc); i++)
    if (dwarf_tag(&scope) == DW_TAG_inlined_subroutine)
      chain[count++] = scope;
  return count;
}

bool function_name(struct module *m, uintptr_t addr, struct text_buffer *out)
{
  Dwarf_Addr bias;
  Dwarf_Die chain[DEPTH_MAX];
  const struct unit_range *range = module_unit(m, addr, &bias);
  const int count = range ? chain_at(range, addr - bias, chain) : 0;
  for (int i = count - 1; i >= 0; i--)
    if (qualified_name(&chain[i], out))
      return true;
  return false;
}

bool inlined_call(const struct unit_range *range, Dwarf_Addr pc, int level, struct inlined_call_site *out)
{
  Dwarf_Die chain[DEPTH_MAX];
  Dwarf_Attribute attribute;
  Dwarf_Word line;
  const int at = chain_at(range, pc, chain) - 1 - level;
  if (at < 1 || !dwarf_attr(&chain[at], DW_AT_call_line, &attribute) || dwarf_formudata(&attribute, &line) != 0)
    return false;
  out->caller = chain[at - 1];
  out->file = die_file(&chain[at], DW_AT_call_file);
  out->line = (uint32_t)line;
  return out->file != NULL;
}

bool library_call(const struct unit_range *range, Dwarf_Addr pc, bool (*of_library)(const char *path),
                  const char **name)
{
  Dwarf_Die chain[DEPTH_MAX];
  *name = NULL;
  for (int i = chain_at(range, pc, chain) - 1; i >= 0; i--) {
    Dwarf_Die declaration = declaration_of(&chain[i]);
    const char *file = die_file(&declaration, DW_AT_decl_file), *called = dwarf_diename(&chain[i]);
    if (!file || !of_library(file))
      break;
    *name = called ? called : *name;
  }
  return *name;
}
