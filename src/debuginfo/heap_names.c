/* SPDX-License-Identifier: Apache-2.0
 *
 * Heap blocks by the line that allocates them: `struct node *n = malloc(sizeof *n);` makes offset 8 of the block
 * `n->next`. The line is read as text, its variable is looked up in the debug information of that function; when
 * either is not plain to see there is no name, rather than a wrong one. In C++ also what make_unique and make_shared
 * make, and what `new` makes without a variable, which is known by its type then.
 */
#include "debuginfo/symbols_internal.h"

#include <ctype.h>
#include <dwarf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define SHARED_COUNTS 16 /* bytes before the object in a block of make_shared: what counts it */

static bool in_name(char c)
{
  return isalnum((unsigned char)c) || c == '_';
}

/* The next call that allocates, by its name's start; NULL for none. */
static const char *next_allocation(const char *line, const char *from)
{
  static const char *const names[] = {"alloc", "strdup", "new ", "make_unique", "make_shared", "mmap", "shmat"};
  const char *call = NULL;
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    const char *found = strstr(from, names[i]);
    call = found && (!call || found < call) ? found : call;
  }
  while (call && call > line && in_name(call[-1]))
    call--;
  return call;
}

/* The call at a column (from 0), when there are several in the line; -1: not known. */
static const char *find_allocation(const char *line, int column)
{
  const char *call = next_allocation(line, line), *next = call;
  unsigned calls = 0;
  while (next) {
    calls++;
    if (next - line == column)
      call = next;
    while (in_name(*next))
      next++;
    next = next_allocation(next, next);
  }
  return calls < 2 || (call && call - line == column) ? call : NULL;
}

/* The statement or declarator that a call is in, as far as it stands in the line. */
static const char *statement_start(const char *line, const char *call, const char *separators)
{
  const char *start = call;
  while (start > line && !strchr(separators, start[-1]))
    start--;
  return start;
}

/* Whether a statement begins with two names in a row: a type, and what is declared to be of it. */
static bool is_declaration(const char *statement)
{
  unsigned names = 0;
  for (const char *c = statement; *c; c++) {
    if (in_name(*c) && (c == statement || !in_name(c[-1])))
      names++;
    else if (!in_name(*c) && !isspace((unsigned char)*c) && *c != '*')
      break;
  }
  return names > 1;
}

/* The `=` of the assignment of an allocation, or NULL. */
static const char *find_assignment(const char *line, const char *call)
{
  const char *equals = NULL;
  for (const char *c = line; c < call; c++) {
    if (*c != '=')
      continue;
    if (c[1] == '=' || (c > line && strchr("=!<>+-*/|&^%", c[-1])) || equals)
      return NULL; /* a comparison, or more than one */
    equals = c;
  }
  return equals;
}

/* Goes back over one `name`, `name[…]` from end; returns its start, or NULL. */
static const char *component_start(const char *line, const char *end)
{
  const char *at = end;
  if (at > line && at[-1] == ']') {
    while (at > line && *at != '[')
      at--;
    if (*at != '[')
      return NULL;
  }
  const char *name_end = at;
  while (at > line && in_name(at[-1]))
    at--;
  return at == name_end || isdigit((unsigned char)*at) ? NULL : at;
}

/* The expression assigned to, malloc'ed: names joined by `->` and `.`. NULL when it is anything else. */
static char *assigned_expression(const char *whole, int column)
{
  const char *call = find_allocation(whole, column);
  const char *line = call ? statement_start(whole, call, ";{},") : NULL;
  const char *end = line ? find_assignment(line, call) : NULL;
  if (!end)
    return NULL;
  while (end > line && isspace((unsigned char)end[-1]))
    end--;
  const char *start = end;
  while (true) {
    start = component_start(line, start);
    if (!start)
      return NULL;
    if (start - line >= 2 && start[-1] == '>' && start[-2] == '-')
      start -= 2;
    else if (start > line && start[-1] == '.')
      start -= 1;
    else
      break;
  }
  /* `*p = …` assigns to what p points to; `int *p = …` declares p. */
  const char *before = start;
  while (before > line && (isspace((unsigned char)before[-1]) || before[-1] == '*'))
    before--;
  const bool starred = before < start && memchr(before, '*', (size_t)(start - before));
  const bool declared =
      before > line ? in_name(before[-1]) || before[-1] == '>' : is_declaration(statement_start(whole, call, ";{}"));
  if (starred && !declared)
    return NULL;
  return strndup(start, (size_t)(end - start));
}

/* The peeled type of a member of the object whose member function has the pc. */
static bool own_member_type(const Dwarf_Die *scopes, int count, const char *name, Dwarf_Die *type)
{
  Dwarf_Die variable, class, member;
  return dwarf_getscopevar((Dwarf_Die *)scopes, count, "this", 0, NULL, 0, 0, &variable) >= 0 &&
         type_of(&variable, &class) && type_of(&class, &class) && type_member(&class, name, &member) &&
         type_of(&member, type);
}

/* The peeled type of a variable visible at pc. */
static bool variable_type(struct module *m, uintptr_t pc, const char *name, Dwarf_Die *type)
{
  Dwarf_Addr bias;
  Dwarf_Die *scopes = NULL, variable;
  const struct unit_range *range = module_unit(m, pc, &bias);
  if (!range)
    return false;
  Dwarf_Die unit = range->scopes;
  const int count = dwarf_getscopes(&unit, pc - bias, &scopes);
  const bool found =
      count > 0 &&
      ((dwarf_getscopevar(scopes, count, name, 0, NULL, 0, 0, &variable) >= 0 && type_of(&variable, type)) ||
       own_member_type(scopes, count, name, type) ||
       (variable_around(range, pc - bias, name, &variable) && type_of(&variable, type)));
  free(scopes);
  return found;
}

bool first_parameter(Dwarf_Die *class, Dwarf_Die *type)
{
  Dwarf_Die child;
  bool more = dwarf_child(class, &child) == 0;
  for (; more; more = dwarf_siblingof(&child, &child) == 0)
    if (dwarf_tag(&child) == DW_TAG_template_type_parameter)
      return type_of(&child, type);
  return false;
}

static bool is_template(Dwarf_Die *class, const char *beginning)
{
  const char *name = dwarf_diename(class);
  return name && !strncmp(name, beginning, strlen(beginning));
}

bool type_dereference(Dwarf_Die *type)
{
  Dwarf_Die inner;
  const int tag = dwarf_tag(type);
  if ((is_template(type, "unique_ptr<") || is_template(type, "shared_ptr<")) && first_parameter(type, &inner)) {
    *type = inner;
    return true;
  }
  if ((tag != DW_TAG_pointer_type && tag != DW_TAG_array_type) || !type_of(type, &inner))
    return false;
  *type = inner;
  return true;
}

/* The peeled type of an expression made by assigned_expression. */
static bool expression_type(struct module *m, uintptr_t pc, const char *expression, Dwarf_Die *type)
{
  char name[128];
  Dwarf_Die member;
  bool first = true;
  for (const char *at = expression; *at; first = false) {
    if (!first && at[0] == '-') {
      if (!type_dereference(type))
        return false;
      at += 2;
    } else if (!first) {
      at++;
    }
    size_t length = 0;
    while (in_name(at[length]))
      length++;
    if (length == 0 || length >= sizeof name)
      return false;
    memcpy(name, at, length);
    name[length] = '\0';
    at += length;
    if (first ? !variable_type(m, pc, name, type) : !type_member(type, name, &member) || !type_of(&member, type))
      return false;
    if (*at == '[') {
      at = strchr(at, ']');
      if (!at || !type_dereference(type))
        return false;
      at++;
    }
  }
  return !first;
}

/* The column of the code in its line, without the line's indentation, from 0; -1: not known. */
static int column_of(struct symbols *s, struct module *m, uintptr_t addr, const struct source_place *where,
                     const char *line)
{
  Dwarf_Addr bias;
  int column = 0;
  const struct unit_range *range = module_unit(m, addr, &bias);
  const struct source_file *file = source_file_of(s, where->file);
  if (!range || !file || !file->text)
    return -1;
  Dwarf_Die unit = range->unit;
  Dwarf_Line *row = dwarf_getsrc_die(&unit, addr - bias);
  if (!row || dwarf_linecol(row, &column) != 0)
    return -1;
  for (; line > file->text && (line[-1] == ' ' || line[-1] == '\t'); line--)
    column--;
  return column > 0 ? column - 1 : -1;
}

/* A class of that name in a unit or its namespaces. */
static bool find_class(Dwarf_Die *parent, const char *name, int depth, Dwarf_Die *out)
{
  Dwarf_Die child;
  bool more = depth < 4 && dwarf_child(parent, &child) == 0;
  for (; more; more = dwarf_siblingof(&child, &child) == 0) {
    const int tag = dwarf_tag(&child);
    const char *called = dwarf_diename(&child);
    if ((tag == DW_TAG_structure_type || tag == DW_TAG_class_type) && called && strcmp(called, name) == 0 &&
        type_size(&child)) {
      *out = child;
      return true;
    }
    if (tag == DW_TAG_namespace && find_class(&child, name, depth + 1, out))
      return true;
  }
  return false;
}

/* ---- blocks without a variable ---- */

/* What a template is made for, by the name of its parameter, in a function or in the class whose member it is. */
static bool template_argument(Dwarf_Die *scope, const char *name, Dwarf_Die *type)
{
  Dwarf_Die child;
  bool more = dwarf_child(scope, &child) == 0;
  for (; more; more = dwarf_siblingof(&child, &child) == 0) {
    const char *called = dwarf_tag(&child) == DW_TAG_template_type_parameter ? dwarf_diename(&child) : NULL;
    if (called && !strcmp(called, name))
      return type_of(&child, type);
  }
  return false;
}

static bool find_argument(const struct unit_range *range, Dwarf_Addr pc, const char *name, Dwarf_Die *type)
{
  Dwarf_Die *scopes = NULL, unit = range->scopes;
  bool found = false;
  const int count = dwarf_getscopes(&unit, pc, &scopes);
  for (int i = 0; i < count && !found; i++) {
    Dwarf_Die declaration = declaration_of(&scopes[i]), *outer = NULL;
    const int outers = dwarf_getscopes_die(&declaration, &outer);
    for (int k = 0; k < outers && !found; k++)
      found = template_argument(&outer[k], name, type);
    free(outer);
  }
  free(scopes);
  return found;
}

/* `new session(7)`, `make_shared<session>(7)`, `calloc(1, sizeof(struct session))`: the name of the type, and how it is
 * told. */
static const struct making {
  const char *word, *told;
} makings[] = {{"new ", "(new %s)"},
               {"make_unique<", "(new %s)"},
               {"make_shared<", "(new %s)"},
               {"sizeof(struct ", "(struct %s)"},
               {"sizeof (struct ", "(struct %s)"}};
#define MAKINGS (sizeof makings / sizeof makings[0])

/* The only one in the line. */
static const struct making *find_making(const char *line, const char **at)
{
  const struct making *found = NULL;
  for (size_t i = 0; i < MAKINGS; i++) {
    const char *here = strstr(line, makings[i].word);
    if (!here || (here > line && in_name(here[-1]) && in_name(*here)))
      continue;
    if (found || strstr(here + 1, makings[i].word))
      return NULL;
    found = &makings[i];
    *at = here + strlen(makings[i].word);
  }
  return found;
}

/* The last name of `a::b::c` at the start of a text. False: there is none, or it is too long. */
static bool take_name(const char *start, char *name, size_t size)
{
  size_t length = 0;
  while (in_name(start[length]) || start[length] == ':')
    if (start[length++] == ':') {
      start += length;
      length = 0;
    }
  if (!length || length >= size)
    return false;
  memcpy(name, start, length);
  name[length] = '\0';
  return true;
}

static void learn_nameless(struct module *m, const char *line, struct heap_site *site)
{
  char name[64], expression[80];
  const char *start = NULL;
  Dwarf_Addr bias;
  const struct making *making = find_making(line, &start);
  const struct unit_range *range = module_unit(m, site->pc - 1, &bias);
  if (!making || !range || !take_name(start, name, sizeof name))
    return;
  Dwarf_Die unit = range->scopes;
  site->fixture = find_argument(range, site->pc - 1 - bias, name, &site->pointee);
  if (!site->fixture && !find_class(&unit, name, 0, &site->pointee))
    return;
  const char *class = dwarf_diename(&site->pointee);
  snprintf(expression, sizeof expression, making->told, class ? class : name);
  site->size = type_size(&site->pointee);
  site->counts = strstr(making->word, "shared") ? SHARED_COUNTS : 0;
  if (site->size)
    site->expression = strdup(expression);
}

/* The elements of the only vector that the line names, if any. Returns how many vectors there are. */
static unsigned learn_vector(struct module *m, const char *line, struct heap_site *site)
{
  char name[64], found[sizeof name] = "";
  unsigned vectors = 0;
  for (const char *at = line; *at; at++) {
    Dwarf_Die type;
    if (!in_name(*at) || (at > line && in_name(at[-1])) || !take_name(at, name, sizeof name) || !strcmp(name, found) ||
        !variable_type(m, site->pc - 1, name, &type) || !is_template(&type, "vector<"))
      continue;
    if (vectors++ == 0 && first_parameter(&type, &site->pointee) && (site->size = type_size(&site->pointee)) > 0)
      snprintf(found, sizeof found, "%s", name);
  }
  if (vectors == 1 && *found)
    site->expression = strdup(found);
  return vectors;
}

/* An object that is made and put into a vector in one line: nobody knows which of the two blocks it is. */
static void learn_without_variable(struct module *m, const char *line, struct heap_site *site)
{
  const char *at;
  const bool makes = find_making(line, &at);
  if (learn_vector(m, line, site) && makes) {
    free(site->expression);
    site->expression = NULL;
  } else if (makes)
    learn_nameless(m, line, site);
}

static void learn_site(struct symbols *s, struct heap_site *site)
{
  struct source_place where;
  struct module *m = module_of(s, site->pc - 1);
  if (!m || !symbols_line(s, site->pc, &where) || !where.line || source_is_newer(s, where.file))
    return;
  const char *line = symbols_source_line(s, where.file, where.line);
  char *expression = line ? assigned_expression(line, column_of(s, m, site->pc - 1, &where, line)) : NULL;
  if (!expression) {
    if (line)
      learn_without_variable(m, line, site);
    return;
  }
  site->counts = strstr(line, "make_shared") ? SHARED_COUNTS : 0;
  if (expression_type(m, site->pc - 1, expression, &site->pointee) && type_dereference(&site->pointee) &&
      (site->size = type_size(&site->pointee)) > 0)
    site->expression = expression;
  else {
    free(expression); /* a place in a collection, which may need memory of its own */
    site->exact = true;
    learn_without_variable(m, line, site);
  }
}

static struct heap_site *find_site(struct symbols *s, uintptr_t pc)
{
  for (size_t i = 0; i < s->site_count; i++)
    if (s->sites[i].pc == pc)
      return &s->sites[i];
  struct heap_site *sites = realloc(s->sites, (s->site_count + 1) * sizeof *sites);
  if (!sites)
    return NULL;
  s->sites = sites;
  sites[s->site_count] = (struct heap_site){.pc = pc};
  learn_site(s, &sites[s->site_count]);
  return &sites[s->site_count++];
}

void heap_sites_free(struct symbols *s)
{
  for (size_t i = 0; i < s->site_count; i++)
    free(s->sites[i].expression);
  free(s->sites);
  s->sites = NULL;
  s->site_count = 0;
}

bool heap_site_tells(struct symbols *s, uintptr_t block_pc)
{
  const struct heap_site *site = find_site(s, block_pc);
  return site && site->expression;
}

/* What a block is known by: the line that allocated it, or those who use it. False: nothing. */
static bool find_block(struct symbols *s, const struct memory_place *place, struct heap_site *out)
{
  const struct heap_site *site = s ? find_site(s, place->block_pc) : NULL;
  const struct heap_block *block =
      site && !site->expression && place->addr >= place->block_offset
          ? heap_block_at(s, place->whole ? place->addr : place->addr - place->block_offset)
          : NULL;
  if (block)
    *out = (struct heap_site){
        .expression = block->expression, .pointee = block->pointee, .size = block->size, .counts = block->counts};
  else if (site)
    *out = *site;
  return site && out->expression;
}

/* Whether the block holds several of the pointee, one after the other. */
static bool is_array_block(struct heap_site *site, const struct memory_place *place)
{
  if (type_is_flexible(&site->pointee))
    return false;
  if (place->block_size)
    return place->block_size >= 2 * site->size;
  return place->block_offset >= site->size;
}

bool heap_walk(struct symbols *s, const struct memory_place *whole, struct text_buffer *name, Dwarf_Die *leaf)
{
  struct heap_site known, *site = &known;
  char inner[256] = "";
  struct text_buffer rest = {inner, sizeof inner, 0};
  struct memory_place behind = *whole;
  const struct memory_place *place = &behind;
  if (!find_block(s, whole, site) || (whole->block_offset < site->counts && !whole->whole))
    return false;
  if (site->exact && whole->block_size != site->size + site->counts)
    return false;
  behind.block_offset -= whole->whole ? 0 : site->counts;
  behind.block_size -= whole->block_size ? site->counts : 0;
  const bool array = is_array_block(site, place);
  const uint64_t offset = array ? place->block_offset % site->size : place->block_offset;
  if (!array && offset >= site->size && !type_is_flexible(&site->pointee))
    return false;
  if (place->block_size && place->block_offset >= place->block_size)
    return false;
  if (place->whole) {
    text_add(name, "*%s", site->expression);
    *leaf = site->pointee;
    return true;
  }
  type_walk(&site->pointee, offset, place->length, &rest, leaf);
  if (array)
    text_add(name, "%s[%" PRIu64 "]%s", site->expression, place->block_offset / site->size, inner);
  else if (inner[0] == '.' && site->fixture)
    text_add(name, "%s", inner + 1);
  else if (inner[0] == '.')
    text_add(name, "%s->%s", site->expression, inner + 1);
  else if (inner[0])
    text_add(name, "(*%s)%s", site->expression, inner);
  else
    text_add(name, "*%s", site->expression);
  return true;
}
