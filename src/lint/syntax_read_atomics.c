/* SPDX-License-Identifier: Apache-2.0
 *
 * Reading atomic functions as the plain operations that do the same (syntax_atomics.h).
 */
#include "lint/syntax_atomics.h"
#include "lint/syntax_parts.h"

#ifdef HEDDLE_HAS_LIBCLANG

#include <string.h>

/* What one is called with; of a member function the object is what it is called of. */
struct atomic_use {
  enum atomic_deed deed;
  CXCursor operand[3];
  unsigned operands;
  bool of_pointers; /* the object is what the first operand points to; of a member, what is named before `->` */
};

/* What a pointer points to: `n` for `&n`. */
static void read_pointee(struct syntax_reader *r, CXCursor pointer, uint32_t line)
{
  const uint32_t node = syntax_draft_begin(r->draft, SYNTAX_UNARY, line);
  set_operator(r, node, OPERATOR_DEREFERENCE);
  read_cursor(r, pointer, false);
  syntax_draft_end(r->draft, node);
  if (!r->draft->failed && r->draft->node[node + 1].kind == SYNTAX_UNARY &&
      r->draft->node[node + 1].op == OPERATOR_ADDRESS)
    syntax_draft_unwrap(r->draft, node, 2);
}

/* Who uses a plain variable with atomic functions has an atomic one. */
static void read_atomic_object(struct syntax_reader *r, const struct atomic_use *use, uint32_t line)
{
  const uint32_t node = r->draft->nodes;
  if (use->of_pointers)
    read_pointee(r, use->operand[0], line);
  else
    read_cursor(r, use->operand[0], false);
  const uint32_t symbol = r->draft->failed ? SYNTAX_NONE : r->draft->node[node].symbol;
  if (symbol != SYNTAX_NONE)
    r->draft->symbol[symbol].flags |= SYMBOL_ATOMIC;
}

static void put_truth(struct syntax_reader *r, bool value, uint32_t line)
{
  const uint32_t node = syntax_draft_begin(r->draft, SYNTAX_NUMBER, line);
  set_text(r, node, value ? syntax_draft_text(r->draft, "true", 4) : syntax_draft_text(r->draft, "false", 5));
  if (!r->draft->failed)
    r->draft->node[node].zero = !value;
  syntax_draft_end(r->draft, node);
}

static void put_atomic_count(struct syntax_reader *r, const struct atomic_use *use, bool up, uint32_t line)
{
  const uint32_t node = syntax_draft_begin(r->draft, SYNTAX_UNARY, line);
  set_operator(r, node, up ? OPERATOR_INCREMENT : OPERATOR_DECREMENT);
  read_atomic_object(r, use, line);
  syntax_draft_end(r->draft, node);
}

/* By a literal 1, up or down, is counting. */
static void make_count(struct syntax_reader *r, uint32_t node)
{
  struct syntax_node *n = r->draft->failed ? NULL : &r->draft->node[node];
  const struct syntax_node *value = n ? n + 1 + n[1].size : NULL;
  if (!n || value->kind != SYNTAX_NUMBER || strcmp(r->draft->text + value->text, "1") != 0)
    return;
  n->kind = SYNTAX_UNARY;
  n->op = n->op == OPERATOR_ADD ? OPERATOR_INCREMENT : OPERATOR_DECREMENT;
  n->size--;
  syntax_draft_cut(r->draft, node + n->size);
}

static void put_atomic_assignment(struct syntax_reader *r, const struct atomic_use *use, enum syntax_operator op,
                                  uint32_t line)
{
  const uint32_t node = syntax_draft_begin(r->draft, SYNTAX_ASSIGN, line);
  set_operator(r, node, op);
  if (use->deed == ATOMIC_LOAD_TO)
    read_pointee(r, use->operand[1], line);
  read_atomic_object(r, use, line);
  if (use->deed == ATOMIC_RAISE || use->deed == ATOMIC_CLEAR)
    put_truth(r, use->deed == ATOMIC_RAISE, line);
  else if (use->deed == ATOMIC_STORE_FROM)
    read_pointee(r, use->operand[1], line);
  else if (use->deed != ATOMIC_LOAD_TO)
    read_cursor(r, use->operand[use->deed == ATOMIC_COMPARE ? 2 : 1], false);
  end_assignment(r, node);
  if (op == OPERATOR_ADD || op == OPERATOR_SUB)
    make_count(r, node);
}

/* It may set the object, and what is expected. */
static void put_atomic_compare(struct syntax_reader *r, const struct atomic_use *use, uint32_t line)
{
  const uint32_t node = syntax_draft_begin(r->draft, SYNTAX_OTHER, line);
  put_atomic_assignment(r, use, OPERATOR_NONE, line);
  read_cursor(r, use->operand[1], false);
  syntax_draft_end(r->draft, node);
}

/* The plain operation that does the same. False: it has too few operands. */
static bool put_atomic(struct syntax_reader *r, const struct atomic_use *use, uint32_t line)
{
  const enum atomic_deed deed = use->deed;
  const bool alone = deed == ATOMIC_LOAD || deed == ATOMIC_RAISE || deed == ATOMIC_CLEAR || deed == ATOMIC_INCREMENT ||
                     deed == ATOMIC_DECREMENT;
  if (use->operands < (alone ? 1 : deed == ATOMIC_COMPARE ? 3 : 2))
    return false;
  if (deed == ATOMIC_LOAD)
    read_atomic_object(r, use, line);
  else if (deed == ATOMIC_INCREMENT || deed == ATOMIC_DECREMENT)
    put_atomic_count(r, use, deed == ATOMIC_INCREMENT, line);
  else if (deed == ATOMIC_COMPARE)
    put_atomic_compare(r, use, line);
  else
    put_atomic_assignment(r, use,
                          deed == ATOMIC_ADD        ? OPERATOR_ADD
                          : deed == ATOMIC_SUBTRACT ? OPERATOR_SUB
                          : deed == ATOMIC_CHANGE   ? OPERATOR_OTHER
                                                    : OPERATOR_NONE,
                          line);
  return true;
}

static void take_operands(const struct syntax_reader *r, struct atomic_use *use, size_t first, size_t count)
{
  for (size_t i = 0; i < count && use->operands < 3; i++)
    use->operand[use->operands++] = r->child[first + i];
}

/* `object.load()`, and `object->load()`: the object is below the name of the member. */
static void take_object(struct syntax_reader *r, struct atomic_use *use, CXCursor member)
{
  size_t count, first = children_of(r, member, &count);
  for (size_t i = 0; i < count && !use->operands; i++)
    if (is_code(r, r->child[first + i]))
      use->operand[use->operands++] = r->child[first + i];
  r->children = first;
  if (use->operands)
    use->of_pointers = r->clang->getCanonicalType(r->clang->getCursorType(use->operand[0])).kind == CXType_Pointer;
}

static bool is_of_atomic_type(const struct syntax_reader *r, CXCursor method)
{
  CXString name = r->clang->getCursorSpelling(r->clang->getCursorSemanticParent(method));
  const bool is = is_atomic_type(r->clang->getCString(name));
  r->clang->disposeString(name);
  return is;
}

/* Its deed: by its name, and if it is a member by its class, as well; a conversion loads. */
static enum atomic_deed deed_of(const struct syntax_reader *r, CXCursor callee, enum CXCursorKind kind,
                                const char *name)
{
  if (kind == CXCursor_FunctionDecl)
    return atomic_function(name);
  const bool converts = kind == CXCursor_ConversionFunction;
  const enum atomic_deed deed = converts ? ATOMIC_LOAD : kind == CXCursor_CXXMethod ? atomic_member(name) : ATOMIC_NONE;
  return deed && is_of_atomic_type(r, callee) ? deed : ATOMIC_NONE;
}

bool read_atomic_call(struct syntax_reader *r, CXCursor callee, const char *name, size_t first, size_t count,
                      uint32_t line)
{
  const enum CXCursorKind kind = r->clang->getCursorKind(callee);
  struct atomic_use use = {.deed = deed_of(r, callee, kind, name), .of_pointers = kind == CXCursor_FunctionDecl};
  if (use.deed == ATOMIC_NONE || count < 1)
    return false;
  const bool member = r->clang->getCursorKind(r->child[first]) == CXCursor_MemberRefExpr;
  const bool is_operator = !use.of_pointers && !strncmp(name, "operator", 8) && kind == CXCursor_CXXMethod;
  if (use.of_pointers) {
    take_operands(r, &use, first + 1, count - 1);
  } else if (!is_operator && member) {
    take_object(r, &use, r->child[first]);
    take_operands(r, &use, first + 1, use.operands ? count - 1 : 0);
  } else if (is_operator && count > 1) {
    take_operands(r, &use, first, 1);
    take_operands(r, &use, first + 2, count - 2);
  }
  return put_atomic(r, &use, line);
}

/* The children are the pointer, the order, the value, the order of a
 * failure, and the other value. */
bool read_atomic_builtin(struct syntax_reader *r, const char *name, size_t first, size_t count, uint32_t line)
{
  struct atomic_use use = {.deed = !strncmp(name, "__", 2) ? atomic_function(name) : ATOMIC_NONE, .of_pointers = true};
  if (use.deed == ATOMIC_NONE)
    return false;
  const bool without_order = count == 2;
  take_operands(r, &use, first, 1);
  for (size_t i = without_order ? 1 : 2; i < count; i += 2)
    take_operands(r, &use, first + i, 1);
  return put_atomic(r, &use, line);
}

/* Constructing an atomic object is giving it its value. */
bool read_atomic_value(struct syntax_reader *r, CXCursor callee, size_t first, size_t count)
{
  if (count != 1 || r->clang->getCursorKind(callee) != CXCursor_Constructor || !is_of_atomic_type(r, callee))
    return false;
  read_cursor(r, r->child[first], false);
  return true;
}

/* What is written as an argument of a macro: the first cursor that has that place. */
struct written_place {
  const struct syntax_reader *reader;
  unsigned from, to;
  CXCursor found;
  bool is_found;
};

static enum CXChildVisitResult look_for_written(CXCursor cursor, CXCursor parent, CXClientData data)
{
  (void)parent;
  struct written_place *place = data;
  const struct extent e = extent_of(place->reader, cursor);
  if (!is_code(place->reader, cursor) || e.written_from != place->from || e.written_to != place->to)
    return CXChildVisit_Recurse;
  place->found = cursor;
  place->is_found = true;
  return CXChildVisit_Break;
}

/* Where GLib, or a compiler's header, has an expression with statements for an atomic function, its arguments say what
 * it does. */
bool read_atomic_macro(struct syntax_reader *r, CXCursor cursor, const char *text, const struct extent *e)
{
  char name[64];
  struct text_range argument[3];
  const size_t length = strcspn(text, " (");
  if (length >= sizeof name)
    return false;
  memcpy(name, text, length);
  name[length] = '\0';
  struct atomic_use use = {.deed = atomic_function(name), .of_pointers = true};
  const unsigned arguments = use.deed ? macro_arguments(r, e, argument, 3) : 0;
  for (unsigned i = 0; i < arguments; i++) {
    struct written_place place = {.reader = r, .from = argument[i].from, .to = argument[i].to};
    r->clang->visitChildren(cursor, look_for_written, &place);
    if (!place.is_found)
      break;
    use.operand[use.operands++] = place.found;
  }
  return use.operands && put_atomic(r, &use, e->line);
}

#endif
