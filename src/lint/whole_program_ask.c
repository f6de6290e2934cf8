/* SPDX-License-Identifier: Apache-2.0
 *
 * Questions to a program: what a node names and calls, and which object it means; see whole_program.h.
 */
#include "core/hash.h"
#include "lint/whole_program.h"
#include <ctype.h>
#include <stdio.h>
#include <string.h>

uint32_t program_symbol_of(const struct whole_program *p, struct code_place c)
{
  const uint32_t symbol = program_node(p, c)->symbol;
  return symbol == SYNTAX_NONE ? PROGRAM_NONE : p->unit[c.unit].symbol[symbol];
}

const char *called_name(const struct whole_program *p, struct code_place c, size_t *length)
{
  const struct syntax_node *n = program_node(p, c);
  const char *name = "";
  *length = 0;
  if (n->kind == SYNTAX_CALL && syntax_flags(program_syntax(p, c), n->symbol) & SYMBOL_FUNCTION) {
    name = syntax_name(program_syntax(p, c), n->symbol);
    *length = strlen(name);
  } else if (n->kind == SYNTAX_MACRO || n->kind == SYNTAX_OTHER || n->kind == SYNTAX_FOR || n->kind == SYNTAX_WHILE) {
    name = syntax_text(program_syntax(p, c), n->text);
    while (isalnum((unsigned char)name[*length]) || name[*length] == '_')
      ++*length;
  }
  return name;
}

uint64_t macro_hash(const char *name, size_t length)
{
  const uint64_t hash = hash_bytes(HASH_START, name, length);
  return hash ? hash : 1;
}

struct macro_meaning *macro_meaning_of(const struct whole_program *p, const char *name, size_t length)
{
  const uint64_t hash = macro_hash(name, length);
  size_t at = hash & (p->macro_slots - 1);
  while (p->macro[at].name && p->macro[at].name != hash)
    at = (at + 1) & (p->macro_slots - 1);
  return &p->macro[at];
}

uint64_t called_meaning(const struct whole_program *p, struct code_place c)
{
  const struct syntax_node *n = program_node(p, c);
  size_t length;
  if (n->kind == SYNTAX_CALL) {
    const uint32_t symbol = program_symbol_of(p, c);
    return symbol == PROGRAM_NONE ? 0 : p->symbol[symbol].meaning;
  }
  const char *name = called_name(p, c, &length);
  return length ? macro_meaning_of(p, name, length)->meaning : 0;
}

uint32_t called_function(const struct whole_program *p, struct code_place c)
{
  const uint32_t symbol = program_node(p, c)->kind == SYNTAX_CALL ? program_symbol_of(p, c) : PROGRAM_NONE;
  return symbol == PROGRAM_NONE ? PROGRAM_NONE : p->symbol[symbol].function;
}

/* Whether a file is a test by its own name, `test-server.c` or `server_test.c`. */
static bool is_named_test(const char *file)
{
  const char *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file, *end = strrchr(name, '.');
  const size_t length = end ? (size_t)(end - name) : strlen(name);
  return (length > 5 && (!strncmp(name, "test-", 5) || !strncmp(name, "test_", 5))) ||
         (length > 5 && (!strncmp(name + length - 5, "-test", 5) || !strncmp(name + length - 5, "_test", 5)));
}

bool is_in_test(const struct whole_program *p, uint32_t function)
{
  const char *file = p->function[function].file;
  if (p->units > 1 && is_named_test(file))
    return true;
  for (const char *at = file + p->folder; strlen(file) > p->folder && strchr(at, '/'); at = strchr(at, '/') + 1)
    if (!strncmp(at, "test", 4) || !strncmp(at, "unit_test", 9))
      return true;
  return false;
}

bool never_returns(const struct whole_program *p, struct code_place call)
{
  const uint32_t symbol = program_symbol_of(p, call);
  return symbol != PROGRAM_NONE &&
         (p->symbol[symbol].meaning & word_bit(WORD_EXIT) || strstr(p->symbol[symbol].type, "noreturn"));
}

struct code_place code_child(const struct whole_program *p, struct code_place c, unsigned which)
{
  return (struct code_place){c.unit, syntax_child(program_syntax(p, c), c.node, which)};
}

struct code_place code_inside(const struct whole_program *p, struct code_place c)
{
  for (;;) {
    const struct syntax_node *n = program_node(p, c);
    const bool wraps = n->kind == SYNTAX_MACRO || (n->kind == SYNTAX_UNARY && n->op == OPERATOR_ADDRESS);
    struct code_place inner = code_child(p, c, 0);
    if (!wraps || !code_is(inner))
      return c;
    c = inner;
  }
}

/* ---- calls ---- */

/* How many folders two files have in common. */
static unsigned common_folders(const char *left, const char *right)
{
  unsigned folders = 0;
  for (; *left && *left == *right; left++, right++)
    folders += *left == '/';
  return folders;
}

bool means_definition(const struct whole_program *p, const struct lint_call *site, uint32_t function)
{
  const uint32_t first = p->symbol[p->function[function].symbol].function;
  const char *caller = p->function[site->function].file;
  const unsigned near = common_folders(p->function[function].file, caller);
  for (uint32_t at = first; at != PROGRAM_NONE; at = p->function[at].other)
    if (common_folders(p->function[at].file, caller) > near)
      return false;
  return true;
}

uint32_t program_definition(const struct whole_program *p, uint32_t symbol, uint32_t function)
{
  const char *caller = p->function[function].file;
  uint32_t found = PROGRAM_NONE;
  unsigned nearest = 0;
  bool several = false;
  for (uint32_t at = p->symbol[symbol].function; at != PROGRAM_NONE; at = p->function[at].other) {
    const char *file = p->function[at].file;
    const unsigned near = common_folders(file, caller) + !strcmp(file, caller);
    if (found == PROGRAM_NONE || near > nearest) {
      found = at;
      nearest = near;
      several = false;
    } else if (near == nearest) {
      several |= strcmp(file, p->function[found].file) != 0; /* else it is in a header */
    }
  }
  return several ? PROGRAM_NONE : found;
}

uint32_t argument_number(const struct program_unit *u, uint32_t call, uint32_t node)
{
  uint32_t number = 0;
  for (uint32_t at = call + 1; at <= node && at < call + u->syntax.node[call].size; at += u->syntax.node[at].size)
    if (node >= at && node < at + u->syntax.node[at].size)
      return number;
    else
      number++;
  return 0;
}

bool lambda_runs_here(const struct whole_program *p, struct code_place lambda)
{
  const uint64_t elsewhere = word_bit(WORD_THREAD) | word_bit(WORD_HANDLER) | word_bit(WORD_CALLBACK);
  const struct program_unit *u = &p->unit[lambda.unit];
  uint32_t at = u->parent[lambda.node];
  while (at != SYNTAX_NONE && u->syntax.node[at].kind >= SYNTAX_NAME && u->syntax.node[at].kind != SYNTAX_CALL)
    at = u->parent[at];
  if (at == SYNTAX_NONE || u->syntax.node[at].kind != SYNTAX_CALL || !argument_number(u, at, lambda.node))
    return false;
  return !(called_meaning(p, (struct code_place){lambda.unit, at}) & elsewhere);
}

bool is_caught(const struct whole_program *p, struct code_place c)
{
  const struct program_unit *u = &p->unit[c.unit];
  for (uint32_t at = c.node, up = u->parent[c.node]; up != SYNTAX_NONE; at = up, up = u->parent[up]) {
    const struct syntax_node *n = &u->syntax.node[up];
    if (n->kind == SYNTAX_OTHER && at == up + 1 && !strcmp(syntax_text(&u->syntax, n->text), "try"))
      return true;
  }
  return false;
}

/* ---- objects ---- */

bool object_text(const struct whole_program *p, struct code_place c, char out[OBJECT_TEXT])
{
  const struct syntax_node *n = program_node(p, c);
  const struct code_place below = code_child(p, c, 0);
  size_t used = 0;
  out[0] = '\0';
  if (n->kind == SYNTAX_NAME)
    return snprintf(out, OBJECT_TEXT, "%s", syntax_name(program_syntax(p, c), n->symbol)) > 0;
  if (n->kind == SYNTAX_MACRO ||
      (n->kind == SYNTAX_UNARY && (n->op == OPERATOR_ADDRESS || n->op == OPERATOR_DEREFERENCE)))
    return code_is(below) && object_text(p, below, out);
  if (n->kind != SYNTAX_MEMBER && n->kind != SYNTAX_INDEX)
    return false;
  if (code_is(below)) {
    if (!object_text(p, below, out))
      return false;
    used = strlen(out);
  }
  if (n->kind == SYNTAX_MEMBER)
    snprintf(out + used, OBJECT_TEXT - used, "%s%s", used ? "." : "", syntax_name(program_syntax(p, c), n->symbol));
  return true;
}

bool macro_argument(const char *text, unsigned argument, char out[OBJECT_TEXT])
{
  unsigned depth = 0, number = 0;
  size_t used = 0;
  for (; *text && used + 1 < OBJECT_TEXT; text++) {
    depth += *text == '(';
    if (depth == 1 && (*text == '(' || *text == ',')) {
      number++;
      continue;
    }
    depth -= *text == ')' && depth;
    if (!depth && number)
      break;
    if (number != argument || strchr("&*() ", *text))
      continue;
    if (text[0] == '-' && text[1] == '>')
      out[used++] = '.', text++;
    else
      out[used++] = *text;
  }
  out[used] = '\0';
  return used;
}

bool argument_text(const struct whole_program *p, struct code_place call, unsigned argument, char out[OBJECT_TEXT])
{
  const struct syntax_node *n = program_node(p, call);
  if (n->kind == SYNTAX_MACRO)
    return macro_argument(syntax_text(program_syntax(p, call), n->text), argument, out);
  struct code_place c = code_child(p, call, n->kind == SYNTAX_OTHER && argument ? argument - 1 : argument);
  if (code_is(c) && !argument) { /* the method: its object is below it; of an operator, the first argument */
    if (program_node(p, c)->kind == SYNTAX_MEMBER)
      c = code_child(p, c, 0);
    else
      c = code_child(p, call, 1);
  }
  return code_is(c) && object_text(p, c, out);
}

uint32_t object_symbol(const struct whole_program *p, struct code_place below, const char *text)
{
  char found[OBJECT_TEXT];
  for (uint32_t i = below.node; i < below.node + program_node(p, below)->size; i++) {
    const struct code_place c = {below.unit, i};
    const uint8_t kind = program_node(p, c)->kind;
    if ((kind == SYNTAX_NAME || kind == SYNTAX_MEMBER) && object_text(p, c, found) && !strcmp(found, text))
      return program_symbol_of(p, c);
  }
  return PROGRAM_NONE;
}
