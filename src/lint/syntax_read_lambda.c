/* SPDX-License-Identifier: Apache-2.0
 *
 * Lambdas: each is a function of its own, whose address is taken where it stands. Its nodes are read there, as it knows
 * the locals around it, kept aside, and put behind the function that it is in.
 */
#include "lint/syntax_parts.h"

#ifdef HEDDLE_HAS_LIBCLANG

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A lambda that was read: its nodes, of those that are kept aside. */
struct kept_lambda {
  uint32_t from, count;
  struct syntax_function function;
};

/* The symbol of a lambda is that of the operator by which it is called. */
static uint32_t lambda_symbol(struct syntax_reader *r, CXCursor lambda)
{
  char text[512];
  CXString type = r->clang->getTypeSpelling(r->clang->getCursorType(lambda));
  snprintf(text, sizeof text, "%s::operator()", r->clang->getCString(type));
  r->clang->disposeString(type);
  struct syntax_symbol s = {.id = lambda_id(text), .flags = SYMBOL_FUNCTION};
  const uint32_t known = syntax_draft_declared(r->draft, lambda.data[1]);
  const char *around = r->inside == SYNTAX_NONE ? "" : r->draft->text + r->draft->symbol[r->inside].name;
  snprintf(text, sizeof text, "lambda in %s", around);
  s.name = syntax_draft_text(r->draft, text, strlen(text));
  return known != SYNTAX_NONE ? known : syntax_draft_declare(r->draft, lambda.data[1], s);
}

/* Its parameters and its body as a FUNCTION at the end of the draft. */
static uint32_t read_body_of(struct syntax_reader *r, uint32_t symbol, size_t first, size_t count, uint32_t line)
{
  const uint32_t node = syntax_draft_begin(r->draft, SYNTAX_FUNCTION, line), outer = r->inside;
  set_symbol(r, node, symbol);
  r->inside = symbol;
  for (size_t i = 0; i < count; i++) {
    const enum CXCursorKind kind = r->clang->getCursorKind(r->child[first + i]);
    if (kind == CXCursor_ParmDecl || kind == CXCursor_CompoundStmt)
      read_cursor(r, r->child[first + i], false);
  }
  r->inside = outer;
  syntax_draft_end(r->draft, node);
  return node;
}

static bool keep_aside(struct syntax_reader *r, uint32_t node, struct syntax_function function)
{
  struct syntax_draft *d = r->draft;
  const uint32_t count = d->nodes - node;
  struct syntax_node *nodes = realloc(r->kept_node, (r->kept_nodes + count) * sizeof *nodes);
  if (nodes)
    r->kept_node = nodes;
  struct kept_lambda *lambdas = realloc(r->kept_lambda, (r->kept_lambdas + 1) * sizeof *lambdas);
  if (lambdas)
    r->kept_lambda = lambdas;
  d->failed |= !nodes || !lambdas;
  if (d->failed)
    return false;
  memcpy(nodes + r->kept_nodes, d->node + node, count * sizeof *nodes);
  lambdas[r->kept_lambdas++] = (struct kept_lambda){(uint32_t)r->kept_nodes, count, function};
  r->kept_nodes += count;
  syntax_draft_cut(d, node);
  return true;
}

void put_lambdas(struct syntax_reader *r)
{
  for (size_t i = 0; i < r->kept_lambdas && !r->draft->failed; i++) {
    struct kept_lambda *l = &r->kept_lambda[i];
    l->function.node = r->draft->nodes;
    for (uint32_t k = 0; k < l->count && !r->draft->failed; k++) {
      const uint32_t node = syntax_draft_begin(r->draft, SYNTAX_EMPTY, 0);
      if (!r->draft->failed)
        r->draft->node[node] = r->kept_node[l->from + k];
    }
    syntax_draft_function(r->draft, l->function);
  }
  r->kept_lambdas = r->kept_nodes = 0;
}

/* ---- captures ---- */

/* Whether all locals that it uses are captured by reference: `[&]`, `[&, copy]`. */
static bool captures_by_reference(const struct syntax_reader *r, const struct extent *e)
{
  size_t length;
  const char *text = file_text(r, e->file, &length);
  unsigned at = e->written_from;
  if (!text || at >= length || text[at] != '[')
    return false;
  at += 1 + (unsigned)strspn(text + at + 1, " \t\n");
  if (text[at] != '&')
    return false;
  at += 1 + (unsigned)strspn(text + at + 1, " \t\n");
  return text[at] == ']' || text[at] == ',';
}

/* `&` in front of what is captured. */
static bool has_ampersand(const struct syntax_reader *r, CXCursor capture)
{
  const struct extent e = extent_of(r, capture);
  size_t length;
  const char *text = file_text(r, e.file, &length);
  unsigned at = e.written_from;
  while (text && at && at <= length && strchr(" \t\n", text[at - 1]))
    at--;
  return text && at && at <= length && text[at - 1] == '&';
}

static void put_reference(struct syntax_reader *r, uint32_t symbol, uint32_t line)
{
  const uint32_t node = syntax_draft_begin(r->draft, SYNTAX_UNARY, line);
  set_operator(r, node, OPERATOR_ADDRESS);
  const uint32_t name = syntax_draft_begin(r->draft, SYNTAX_NAME, line);
  set_symbol(r, name, symbol);
  syntax_draft_end(r->draft, name);
  syntax_draft_end(r->draft, node);
}

static bool is_named_since(const struct syntax_draft *d, uint32_t node, uint32_t symbol)
{
  for (uint32_t i = node; i < d->nodes; i++)
    if (d->node[i].symbol == symbol)
      return true;
  return false;
}

static bool is_declared_among(const struct syntax_node *node, uint32_t count, uint32_t symbol)
{
  for (uint32_t i = 0; i < count; i++)
    if (node[i].kind == SYNTAX_VARIABLE && node[i].symbol == symbol)
      return true;
  return false;
}

/* The locals around it that its nodes, of those that are kept, name. */
static void put_used(struct syntax_reader *r, uint32_t from, uint32_t list, uint32_t line)
{
  for (uint32_t i = from; i < r->kept_nodes && !r->draft->failed; i++) {
    const struct syntax_node *n = &r->kept_node[i];
    const uint32_t flags = n->kind == SYNTAX_NAME && n->symbol != SYNTAX_NONE ? r->draft->symbol[n->symbol].flags : 0;
    const uint32_t symbol = n->symbol;
    if (flags & (SYMBOL_LOCAL | SYMBOL_PARAMETER) && !is_named_since(r->draft, list, symbol) &&
        !is_declared_among(r->kept_node + from, (uint32_t)r->kept_nodes - from, symbol))
      put_reference(r, symbol, line);
  }
}

static void put_captures(struct syntax_reader *r, size_t first, size_t count, uint32_t line)
{
  for (size_t i = 0; i < count; i++) {
    const CXCursor child = r->child[first + i];
    const enum CXCursorKind kind = r->clang->getCursorKind(child);
    if (kind == CXCursor_VariableRef && has_ampersand(r, child))
      put_reference(r, symbol_of(r, r->clang->getCursorReferenced(child)), line);
    else if (kind != CXCursor_CompoundStmt && is_code(r, child))
      read_cursor(r, child, false);
  }
}

void read_lambda(struct syntax_reader *r, CXCursor cursor, const struct extent *e)
{
  size_t count, first = children_of(r, cursor, &count);
  const uint32_t symbol = lambda_symbol(r, cursor);
  const uint32_t body = read_body_of(r, symbol, first, count, e->line), from = (uint32_t)r->kept_nodes;
  if (!keep_aside(r, body, function_of_cursor(r, cursor, symbol)))
    return;
  const uint32_t node = syntax_draft_begin(r->draft, SYNTAX_LAMBDA, e->line);
  set_symbol(r, node, symbol);
  const uint32_t list = syntax_draft_begin(r->draft, SYNTAX_LIST, e->line);
  put_captures(r, first, count, e->line);
  if (captures_by_reference(r, e))
    put_used(r, from, list, e->line);
  syntax_draft_end(r->draft, list);
  syntax_draft_end(r->draft, node);
  r->children = first;
}

/* As a pointer to a function it is the same function. */
bool read_lambda_conversion(struct syntax_reader *r, CXCursor callee, size_t first, size_t count)
{
  if (r->clang->getCursorKind(callee) != CXCursor_ConversionFunction || count != 1)
    return false;
  const CXCursor class = r->clang->getCursorSemanticParent(callee);
  CXString type = r->clang->getTypeSpelling(r->clang->getCursorType(class));
  const bool is_lambda = is_lambda_type(r->clang->getCString(type));
  r->clang->disposeString(type);
  size_t below = 0;
  const size_t object = is_lambda ? children_of(r, r->child[first], &below) : 0;
  if (below)
    read_cursor(r, r->child[object], false);
  return below;
}

#endif
