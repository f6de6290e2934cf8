/* SPDX-License-Identifier: Apache-2.0
 *
 * Reading the functions of a unit as trees; see syntax.h for what they look like. Knows how libclang orders the
 * children of statements; knows no rule.
 */
#include "lint/syntax_read.h"
#include "lint/syntax_parts.h"
#include <stdio.h>

#ifdef HEDDLE_HAS_LIBCLANG

#include <stdlib.h>
#include <string.h>

/* ---- children ---- */

static enum CXChildVisitResult push(CXCursor cursor, CXCursor parent, CXClientData data)
{
  (void)parent;
  struct syntax_reader *r = data;
  if (r->children == r->child_room) {
    const size_t room = r->child_room ? 2 * r->child_room : 256;
    CXCursor *grown = realloc(r->child, room * sizeof *grown);
    r->draft->failed |= !grown;
    if (!grown)
      return CXChildVisit_Break;
    r->child = grown;
    r->child_room = room;
  }
  r->child[r->children++] = cursor;
  return CXChildVisit_Continue;
}

size_t children_of(struct syntax_reader *r, CXCursor cursor, size_t *count)
{
  const size_t first = r->children;
  r->clang->visitChildren(cursor, push, r);
  *count = r->children - first;
  return first;
}

bool is_code(const struct syntax_reader *r, CXCursor cursor)
{
  const enum CXCursorKind kind = r->clang->getCursorKind(cursor);
  return r->clang->isStatement(kind) || r->clang->isExpression(kind) || kind == CXCursor_VarDecl;
}

static void read_all(struct syntax_reader *r, size_t first, size_t count)
{
  for (size_t i = 0; i < count; i++)
    if (is_code(r, r->child[first + i]))
      read_cursor(r, r->child[first + i], false);
}

static void put_empty(struct syntax_reader *r, uint32_t line)
{
  syntax_draft_end(r->draft, syntax_draft_begin(r->draft, SYNTAX_EMPTY, line));
}

/* ---- operators ---- */

static enum syntax_operator binary_operator(enum CXBinaryOperatorKind kind)
{
  static const uint8_t table[] = {
      [CXBinaryOperator_LT] = OPERATOR_LT,       [CXBinaryOperator_GT] = OPERATOR_GT,
      [CXBinaryOperator_LE] = OPERATOR_LE,       [CXBinaryOperator_GE] = OPERATOR_GE,
      [CXBinaryOperator_EQ] = OPERATOR_EQ,       [CXBinaryOperator_NE] = OPERATOR_NE,
      [CXBinaryOperator_LAnd] = OPERATOR_AND,    [CXBinaryOperator_LOr] = OPERATOR_OR,
      [CXBinaryOperator_Add] = OPERATOR_ADD,     [CXBinaryOperator_Sub] = OPERATOR_SUB,
      [CXBinaryOperator_Mul] = OPERATOR_MUL,     [CXBinaryOperator_Div] = OPERATOR_DIV,
      [CXBinaryOperator_Comma] = OPERATOR_COMMA,
  };
  return kind < sizeof table && table[kind] ? table[kind] : OPERATOR_OTHER;
}

static enum syntax_operator assignment_operator(enum CXBinaryOperatorKind kind)
{
  return kind == CXBinaryOperator_Assign      ? OPERATOR_NONE
         : kind == CXBinaryOperator_AddAssign ? OPERATOR_ADD
         : kind == CXBinaryOperator_SubAssign ? OPERATOR_SUB
                                              : OPERATOR_OTHER;
}

static enum syntax_operator unary_operator(enum CXUnaryOperatorKind kind)
{
  switch (kind) {
  case CXUnaryOperator_PostInc:
  case CXUnaryOperator_PreInc:
    return OPERATOR_INCREMENT;
  case CXUnaryOperator_PostDec:
  case CXUnaryOperator_PreDec:
    return OPERATOR_DECREMENT;
  case CXUnaryOperator_LNot:
    return OPERATOR_NOT;
  case CXUnaryOperator_AddrOf:
    return OPERATOR_ADDRESS;
  case CXUnaryOperator_Deref:
    return OPERATOR_DEREFERENCE;
  case CXUnaryOperator_Minus:
    return OPERATOR_SUB;
  default:
    return OPERATOR_OTHER;
  }
}

/* ---- expressions ---- */

void end_assignment(struct syntax_reader *r, uint32_t node)
{
  syntax_draft_end(r->draft, node);
  if (r->draft->failed)
    return;
  struct syntax_node *n = &r->draft->node[node];
  const uint32_t value = node + 1 + n[1].size;
  const bool adds = n->kind == SYNTAX_ASSIGN && (n->op == OPERATOR_ADD || n->op == OPERATOR_SUB);
  if (!adds || r->draft->node[value].kind != SYNTAX_UNARY || r->draft->node[value].op != OPERATOR_SUB)
    return;
  n->op = n->op == OPERATOR_ADD ? OPERATOR_SUB : OPERATOR_ADD;
  n->size--;
  syntax_draft_unwrap(r->draft, value, 1);
}

static void read_binary(struct syntax_reader *r, CXCursor cursor, uint32_t line, bool condition)
{
  size_t count, first = children_of(r, cursor, &count);
  const enum CXBinaryOperatorKind kind = r->clang->getCursorBinaryOperatorKind(cursor);
  const bool assigns = kind >= CXBinaryOperator_Assign && kind <= CXBinaryOperator_OrAssign;
  const enum syntax_operator op = assigns ? assignment_operator(kind) : binary_operator(kind);
  const uint32_t node = syntax_draft_begin(r->draft, assigns ? SYNTAX_ASSIGN : SYNTAX_BINARY, line);
  set_operator(r, node, op);
  for (size_t i = 0; i < count; i++) {
    const struct extent e = extent_of(r, r->child[first + i]);
    const uint32_t side = r->draft->nodes;
    const bool joins = !assigns && (op == OPERATOR_AND || op == OPERATOR_OR);
    read_cursor(r, r->child[first + i], condition && joins);
    const bool spelled = !r->macro || e.from != r->macro || e.written_from != e.from; /* not all of a macro's use */
    if (condition && spelled && !assigns && op >= OPERATOR_LT && op <= OPERATOR_NE)
      set_text(r, side, source_text_of(r, &e));
  }
  for (size_t i = count; i < 2; i++) /* in code with errors */
    put_empty(r, line);
  r->children = first;
  end_assignment(r, node);
}

static void read_unary(struct syntax_reader *r, CXCursor cursor, uint32_t line, bool condition)
{
  size_t count, first = children_of(r, cursor, &count);
  const enum syntax_operator op = unary_operator(r->clang->getCursorUnaryOperatorKind(cursor));
  const uint32_t node = syntax_draft_begin(r->draft, SYNTAX_UNARY, line);
  set_operator(r, node, op);
  for (size_t i = 0; i < count; i++)
    read_cursor(r, r->child[first + i], condition && op == OPERATOR_NOT);
  if (!count)
    put_empty(r, line);
  r->children = first;
  syntax_draft_end(r->draft, node);
}

/* ---- calls and names ---- */

static bool is_function(enum CXCursorKind kind)
{
  return kind == CXCursor_FunctionDecl || kind == CXCursor_CXXMethod || kind == CXCursor_Constructor ||
         kind == CXCursor_Destructor || kind == CXCursor_ConversionFunction;
}

/* Calls that are no calls for whoever asks what a program does. False: it is none of them. */
static bool read_plain_call(struct syntax_reader *r, CXCursor callee, size_t first, size_t count, uint32_t line,
                            bool condition)
{
  CXString spelling = r->clang->getCursorSpelling(callee);
  const char *name = r->clang->getCString(spelling);
  bool is_plain = true;
  if (count > 1 && !strcmp(name, "__builtin_expect")) /* its value is that of its first argument */
    read_cursor(r, r->child[first + 1], condition);
  else
    is_plain = read_atomic_value(r, callee, first, count) || read_lambda_conversion(r, callee, first, count) ||
               read_atomic_call(r, callee, name, first, count, line);
  r->clang->disposeString(spelling);
  return is_plain;
}

/* `std::async(std::launch::async, work)`: the policy says nothing that matters here. */
static size_t without_policy(const struct syntax_reader *r, size_t first, size_t count)
{
  CXString type = r->clang->getTypeSpelling(r->clang->getCursorType(r->child[first + 1]));
  const bool is_policy = !strcmp(r->clang->getCString(type), "std::launch");
  r->clang->disposeString(type);
  if (is_policy)
    memmove(&r->child[first + 1], &r->child[first + 2], (count - 2) * sizeof *r->child);
  return is_policy ? count - 1 : count;
}

static bool is_named(const struct syntax_reader *r, CXCursor cursor, const char *name)
{
  CXString spelling = r->clang->getCursorSpelling(cursor);
  const bool is = !strcmp(r->clang->getCString(spelling), name);
  r->clang->disposeString(spelling);
  return is;
}

/* In a template the arguments may decide which constructor it is. False: it is no construction. */
static bool read_construction(struct syntax_reader *r, CXType type, size_t first, size_t count, uint32_t line)
{
  if (r->clang->getCanonicalType(type).kind != CXType_Record)
    return false;
  const uint32_t node = syntax_draft_begin(r->draft, SYNTAX_CALL, line);
  set_symbol(r, node, symbol_of_constructor(r, type));
  put_empty(r, line);
  for (size_t i = 0; i < count; i++) {
    const bool list = r->clang->getCursorKind(r->child[first + i]) == CXCursor_InitListExpr;
    size_t below = 0;
    const size_t inner = list ? children_of(r, r->child[first + i], &below) : 0;
    read_all(r, list ? inner : first + i, list ? below : 1);
    r->children = first + count;
  }
  syntax_draft_end(r->draft, node);
  return true;
}

/* The object that a member is of, without what the compiler adds. */
static CXCursor object_of_member(struct syntax_reader *r, CXCursor member)
{
  CXCursor object = member;
  enum CXCursorKind kind;
  do {
    size_t count, first = children_of(r, object, &count);
    object = count ? r->child[first] : r->clang->getTranslationUnitCursor(r->unit);
    r->children = first;
    kind = r->clang->getCursorKind(object);
  } while (kind == CXCursor_UnexposedExpr || kind == CXCursor_ParenExpr);
  return object;
}

/* Whether the object's class decides what is called: not if that is named, nor of a variable that is the object. */
static bool is_virtual_call(struct syntax_reader *r, CXCursor call, size_t first, size_t count)
{
  if (!count || !r->clang->Cursor_isDynamicCall(call))
    return false;
  const CXCursor object = object_of_member(r, r->child[first]);
  const enum CXCursorKind kind = r->clang->getCursorKind(object);
  if (kind != CXCursor_DeclRefExpr && kind != CXCursor_MemberRefExpr)
    return true;
  CXType type = r->clang->getCursorType(r->clang->getCursorReferenced(object));
  return r->clang->getCanonicalType(type).kind != CXType_Record;
}

/* Of a constructor libclang shows the arguments alone, and the names in its type. */
static void read_call(struct syntax_reader *r, CXCursor cursor, uint32_t line, bool condition)
{
  size_t count, first = children_of(r, cursor, &count), code = 0;
  const CXCursor callee = r->clang->getCursorReferenced(cursor);
  const int arguments = r->clang->Cursor_getNumArguments(cursor);
  const bool direct = is_function(r->clang->getCursorKind(callee));
  const bool constructs = !direct && count && !is_code(r, r->child[first]); /* a type is named first */
  if ((direct && read_plain_call(r, callee, first, count, line, condition)) ||
      (constructs && read_construction(r, r->clang->getCursorType(cursor), first, count, line))) {
    r->children = first;
    return;
  }
  for (size_t i = 0; i < count; i++)
    code += is_code(r, r->child[first + i]);
  if (direct && count > 2 && is_named(r, callee, "async"))
    count = without_policy(r, first, count);
  const uint32_t node = syntax_draft_begin(r->draft, SYNTAX_CALL, line);
  if (is_virtual_call(r, cursor, first, count))
    set_operator(r, node, OPERATOR_VIRTUAL);
  if (direct)
    set_symbol(r, node, symbol_of(r, callee));
  else if (count && r->clang->isExpression(r->clang->getCursorKind(r->child[first])))
    set_symbol(r, node, symbol_of_pointer(r, r->child[first]));
  if (arguments >= 0 && (size_t)arguments >= code)
    put_empty(r, line);
  read_all(r, first, count);
  r->children = first;
  syntax_draft_end(r->draft, node);
}

/* A name or a member, of what is below it. */
static void read_reference(struct syntax_reader *r, CXCursor cursor, enum syntax_kind kind, uint32_t line)
{
  const CXCursor declaration = r->clang->getCursorReferenced(cursor);
  const uint32_t node = syntax_draft_begin(r->draft, kind, line);
  if (!r->clang->Cursor_isNull(declaration))
    set_symbol(r, node, symbol_of(r, declaration));
  if (kind == SYNTAX_MEMBER) {
    size_t count, first = children_of(r, cursor, &count);
    read_all(r, first, count);
    r->children = first;
  }
  syntax_draft_end(r->draft, node);
}

/* `.member = value` in a list, or `.member.member = value`. */
static void read_designated(struct syntax_reader *r, size_t first, size_t count, uint32_t line)
{
  const uint32_t node = syntax_draft_begin(r->draft, SYNTAX_ASSIGN, line);
  size_t members = 1;
  while (members < count && r->clang->getCursorKind(r->child[first + members]) == CXCursor_MemberRef)
    members++;
  read_reference(r, r->child[first + members - 1], SYNTAX_NAME, line);
  read_all(r, first + members, count - members);
  syntax_draft_end(r->draft, node);
}

static void read_other(struct syntax_reader *r, uint32_t word, size_t first, size_t count, uint32_t line)
{
  if (count > 1 && read_atomic_builtin(r, r->draft->text + word, first, count, line))
    return;
  const uint32_t node = syntax_draft_begin(r->draft, SYNTAX_OTHER, line);
  set_text(r, node, word);
  read_all(r, first, count);
  syntax_draft_end(r->draft, node);
}

/* What only wraps another expression is left out. */
static void read_wrapped(struct syntax_reader *r, CXCursor cursor, uint32_t line, bool condition)
{
  size_t count, first = children_of(r, cursor, &count), code = 0, last = 0;
  for (size_t i = 0; i < count; i++)
    if (is_code(r, r->child[first + i])) {
      code++;
      last = i;
    }
  if (count && r->clang->getCursorKind(r->child[first]) == CXCursor_MemberRef) {
    read_designated(r, first, count, line);
  } else if (code == 1) {
    read_cursor(r, r->child[first + last], condition);
  } else {
    read_other(r, first_word(r, cursor), first, count, line);
  }
  r->children = first;
}

static void set_number(struct syntax_reader *r, uint32_t node, uint32_t text)
{
  const char *word = r->draft->text + text;
  set_text(r, node, text);
  if (!r->draft->failed)
    r->draft->node[node].zero = !strcmp(word, "false") || !strcmp(word, "nullptr") || !strcmp(word, "__null") ||
                                (word[0] == '0' && strtod(word, NULL) == 0);
}

/* One with everything below it. */
static void read_plain(struct syntax_reader *r, CXCursor cursor, enum syntax_kind kind, uint32_t line)
{
  size_t count, first = children_of(r, cursor, &count);
  const uint32_t node = syntax_draft_begin(r->draft, kind, line);
  if (kind == SYNTAX_NUMBER)
    set_number(r, node, first_word(r, cursor));
  read_all(r, first, count);
  r->children = first;
  syntax_draft_end(r->draft, node);
}

/* ---- statements ---- */

/* Which of the three clauses of a `for` begins there: by the semicolons in front of it. 3: the source does not say. */
static unsigned clause_at(const struct syntax_reader *r, const struct extent *loop, const struct extent *clause)
{
  size_t length;
  const char *text = loop->from_macro ? NULL : file_text(r, loop->file, &length);
  unsigned depth = 0, semicolons = 0;
  if (!text || clause->from > length || clause->from < loop->from)
    return 3;
  for (unsigned i = loop->from; i < clause->from; i++) {
    const unsigned behind = skip_aside(text, length, i);
    if (behind > i) {
      i = behind - 1;
      continue;
    }
    depth += text[i] == '(';
    depth -= text[i] == ')' && depth;
    semicolons += text[i] == ';' && depth == 1;
  }
  return semicolons < 3 ? semicolons : 3;
}

/* In a macro: a guess by what it is. */
static unsigned clause_by_kind(const struct syntax_reader *r, CXCursor clause, unsigned least)
{
  const enum CXBinaryOperatorKind op = r->clang->getCursorBinaryOperatorKind(clause);
  const enum CXUnaryOperatorKind unary = r->clang->getCursorUnaryOperatorKind(clause);
  if (r->clang->getCursorKind(clause) == CXCursor_DeclStmt || (op == CXBinaryOperator_Assign && !least))
    return 0;
  const bool steps = (unary >= CXUnaryOperator_PostInc && unary <= CXUnaryOperator_PreDec) ||
                     (op >= CXBinaryOperator_Assign && op <= CXBinaryOperator_OrAssign);
  return steps || least > 1 ? 2 : 1;
}

static void read_for(struct syntax_reader *r, CXCursor cursor, uint32_t line)
{
  size_t count, first = children_of(r, cursor, &count), slot[3] = {SIZE_MAX, SIZE_MAX, SIZE_MAX};
  const struct extent loop = extent_of(r, cursor);
  unsigned next = 0;
  for (size_t i = 0; i + 1 < count; i++) {
    const struct extent e = extent_of(r, r->child[first + i]);
    unsigned which = count == 4 ? (unsigned)i : clause_at(r, &loop, &e);
    if (which == 3)
      which = clause_by_kind(r, r->child[first + i], next);
    slot[which] = first + i;
    next = which + 1;
  }
  for (unsigned i = 0; i < 3; i++)
    if (slot[i] == SIZE_MAX)
      put_empty(r, line);
    else
      read_cursor(r, r->child[slot[i]], i == 1);
  if (count)
    read_cursor(r, r->child[first + count - 1], false);
  else
    put_empty(r, line);
  r->children = first;
}

/* The condition is at that place among the code below the statement, counted from its end; declarations in front of it
 * (C++) are left out. */
static void read_slots(struct syntax_reader *r, CXCursor cursor, uint32_t line, unsigned slots, unsigned condition)
{
  size_t count, first = children_of(r, cursor, &count), code = 0;
  for (size_t i = 0; i < count; i++)
    if (is_code(r, r->child[first + i]))
      r->child[first + code++] = r->child[first + i];
  const size_t skip = code > slots ? code - slots : 0;
  for (unsigned i = 0; i < slots; i++)
    if (skip + i < code)
      read_cursor(r, r->child[first + skip + i], i == condition);
    else
      put_empty(r, line);
  r->children = first;
}

static bool begins_with_declaration(struct syntax_reader *r, CXCursor cursor)
{
  size_t count, first = children_of(r, cursor, &count);
  const enum CXCursorKind kind = count ? r->clang->getCursorKind(r->child[first]) : CXCursor_UnexposedExpr;
  r->children = first;
  return kind == CXCursor_VarDecl || kind == CXCursor_DeclStmt;
}

static void read_if(struct syntax_reader *r, CXCursor cursor, uint32_t line)
{
  size_t count, first = children_of(r, cursor, &count);
  const size_t skip = count > 2 && begins_with_declaration(r, cursor) ? 1 : 0;
  for (size_t i = 0; i < 3; i++)
    if (skip + i < count)
      read_cursor(r, r->child[first + skip + i], i == 0);
    else
      put_empty(r, line);
  r->children = first;
}

/* `std::thread thread(f, x)` in a template: arguments in parentheses, which have no type. False: it is something else.
 */
static bool read_dependent_value(struct syntax_reader *r, CXCursor variable, CXCursor value, uint32_t line)
{
  if (r->clang->getCursorType(value).kind != CXType_Invalid)
    return false;
  size_t count, first = children_of(r, value, &count);
  const bool is = count && read_construction(r, r->clang->getCursorType(variable), first, count, line);
  r->children = first;
  return is;
}

static void read_variable(struct syntax_reader *r, CXCursor cursor, uint32_t line)
{
  const uint32_t node = syntax_draft_begin(r->draft, SYNTAX_VARIABLE, line);
  const CXCursor value = r->clang->Cursor_getVarDeclInitializer(cursor);
  set_symbol(r, node, symbol_of(r, cursor));
  if (!r->clang->Cursor_isNull(value) && !read_dependent_value(r, cursor, value, line))
    read_cursor(r, value, false);
  syntax_draft_end(r->draft, node);
}

static void read_jump(struct syntax_reader *r, CXCursor cursor, enum syntax_kind kind, uint32_t line)
{
  size_t count, first = children_of(r, cursor, &count);
  const uint32_t node = syntax_draft_begin(r->draft, kind, line);
  if (kind == SYNTAX_LABEL)
    set_symbol(r, node, symbol_of(r, cursor));
  for (size_t i = 0; i < count; i++)
    if (kind == SYNTAX_GOTO && r->clang->getCursorKind(r->child[first + i]) == CXCursor_LabelRef)
      set_symbol(r, node, symbol_of(r, r->clang->getCursorReferenced(r->child[first + i])));
  read_all(r, first, count);
  r->children = first;
  syntax_draft_end(r->draft, node);
}

/* The statements that have slots, and jumps. False: it is none of them. */
static bool read_statement(struct syntax_reader *r, CXCursor cursor, const struct extent *e)
{
  static const uint8_t kinds[] = {
      [CXCursor_IfStmt - CXCursor_FirstStmt] = SYNTAX_IF,
      [CXCursor_ForStmt - CXCursor_FirstStmt] = SYNTAX_FOR,
      [CXCursor_WhileStmt - CXCursor_FirstStmt] = SYNTAX_WHILE,
      [CXCursor_DoStmt - CXCursor_FirstStmt] = SYNTAX_DO,
      [CXCursor_SwitchStmt - CXCursor_FirstStmt] = SYNTAX_SWITCH,
      [CXCursor_CXXForRangeStmt - CXCursor_FirstStmt] = SYNTAX_RANGE_FOR,
  };
  const unsigned which = (unsigned)(r->clang->getCursorKind(cursor) - CXCursor_FirstStmt);
  const enum syntax_kind kind = which < sizeof kinds ? kinds[which] : SYNTAX_EMPTY;
  if (!kind)
    return false;
  const uint32_t node = syntax_draft_begin(r->draft, kind, e->line);
  if (e->from_macro && kind != SYNTAX_IF && kind != SYNTAX_SWITCH) {
    struct extent use = *e;
    use.to = macro_end(r, e);
    set_text(r, node, use.to ? source_text_of(r, &use) : 0);
  }
  if (kind == SYNTAX_IF)
    read_if(r, cursor, e->line);
  else if (kind == SYNTAX_FOR)
    read_for(r, cursor, e->line);
  else
    read_slots(r, cursor, e->line, 2, kind == SYNTAX_DO ? 1 : kind == SYNTAX_RANGE_FOR ? 2 : 0);
  syntax_draft_end(r->draft, node);
  return true;
}

/* ---- all of them ---- */

static const struct {
  enum CXCursorKind cursor;
  enum syntax_kind kind;
} plain[] = {
    {CXCursor_CompoundStmt, SYNTAX_BLOCK},
    {CXCursor_CaseStmt, SYNTAX_CASE},
    {CXCursor_DefaultStmt, SYNTAX_DEFAULT},
    {CXCursor_BreakStmt, SYNTAX_BREAK},
    {CXCursor_ContinueStmt, SYNTAX_CONTINUE},
    {CXCursor_ReturnStmt, SYNTAX_RETURN},
    {CXCursor_CXXThrowExpr, SYNTAX_THROW},
    {CXCursor_ConditionalOperator, SYNTAX_CONDITIONAL},
    {CXCursor_IntegerLiteral, SYNTAX_NUMBER},
    {CXCursor_CharacterLiteral, SYNTAX_NUMBER},
    {CXCursor_FloatingLiteral, SYNTAX_NUMBER},
    {CXCursor_CXXBoolLiteralExpr, SYNTAX_NUMBER},
    {CXCursor_CXXNullPtrLiteralExpr, SYNTAX_NUMBER},
    {CXCursor_GNUNullExpr, SYNTAX_NUMBER},
    {CXCursor_StringLiteral, SYNTAX_STRING},
    {CXCursor_ArraySubscriptExpr, SYNTAX_INDEX},
    {CXCursor_UnaryExpr, SYNTAX_SIZEOF},
    {CXCursor_CXXNewExpr, SYNTAX_NEW},
    {CXCursor_InitListExpr, SYNTAX_LIST},
};

static void read_kind(struct syntax_reader *r, CXCursor cursor, const struct extent *e, bool condition)
{
  const enum CXCursorKind kind = r->clang->getCursorKind(cursor);
  if (read_statement(r, cursor, e))
    return;
  for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
    if (plain[i].cursor == kind) {
      read_plain(r, cursor, plain[i].kind, e->line);
      return;
    }
  if (kind == CXCursor_BinaryOperator || kind == CXCursor_CompoundAssignOperator)
    read_binary(r, cursor, e->line, condition);
  else if (kind == CXCursor_UnaryOperator)
    read_unary(r, cursor, e->line, condition);
  else if (kind == CXCursor_CallExpr)
    read_call(r, cursor, e->line, condition);
  else if (kind == CXCursor_DeclRefExpr)
    read_reference(r, cursor, SYNTAX_NAME, e->line);
  else if (kind == CXCursor_MemberRefExpr)
    read_reference(r, cursor, SYNTAX_MEMBER, e->line);
  else if (kind == CXCursor_VarDecl || kind == CXCursor_ParmDecl)
    read_variable(r, cursor, e->line);
  else if (kind == CXCursor_LambdaExpr)
    read_lambda(r, cursor, e);
  else if (kind == CXCursor_GotoStmt || kind == CXCursor_LabelStmt)
    read_jump(r, cursor, kind == CXCursor_GotoStmt ? SYNTAX_GOTO : SYNTAX_LABEL, e->line);
  else if (kind == CXCursor_DeclStmt)
    read_plain(r, cursor, SYNTAX_BLOCK, e->line); /* of declarations; opens no scope that matters here */
  else
    read_wrapped(r, cursor, e->line, condition);
}

/* The use of a macro with arguments: what it expands to is below a node for it. */
static void read_macro(struct syntax_reader *r, CXCursor cursor, const struct extent *e, bool condition)
{
  const unsigned outer = r->macro;
  const uint32_t text = source_text_of(r, e), node = r->draft->nodes;
  if (read_atomic_macro(r, cursor, r->draft->text + text, e)) {
    set_text(r, node, text);
    return;
  }
  syntax_draft_begin(r->draft, SYNTAX_MACRO, e->line);
  set_text(r, node, text);
  r->macro = e->from;
  read_kind(r, cursor, e, condition);
  r->macro = outer;
  syntax_draft_end(r->draft, node);
}

void read_cursor(struct syntax_reader *r, CXCursor cursor, bool condition)
{
  const struct extent e = extent_of(r, cursor);
  const unsigned end = macro_end(r, &e);
  const uint32_t node = r->draft->nodes;
  if (end && end == e.to && e.from != r->macro) {
    read_macro(r, cursor, &e, condition);
    return;
  }
  read_kind(r, cursor, &e, condition);
  if (condition && !r->draft->failed && !r->draft->node[node].text)
    set_text(r, node, source_text_of(r, &e));
}

/* ---- the unit ---- */

struct syntax_function function_of_cursor(struct syntax_reader *r, CXCursor cursor, uint32_t symbol)
{
  CXFile file;
  struct syntax_function f = {.symbol = symbol};
  CXSourceRange range = r->clang->getCursorExtent(cursor);
  r->clang->getExpansionLocation(r->clang->getRangeEnd(range), &file, &f.last, NULL, NULL);
  CXString real = r->clang->File_tryGetRealPathName(file), given = r->clang->getFileName(file);
  const char *path = r->clang->getCString(real);
  if (!path || !*path)
    path = r->clang->getCString(given);
  f.file = path ? syntax_draft_text(r->draft, path, strlen(path)) : 0;
  r->clang->disposeString(real);
  r->clang->disposeString(given);
  return f;
}

/* What a method overrides, and what that overrides. */
static void note_overridden(struct syntax_reader *r, CXCursor method, uint32_t symbol)
{
  CXCursor *overridden;
  unsigned count;
  r->clang->getOverriddenCursors(method, &overridden, &count);
  for (unsigned i = 0; i < count; i++) {
    const uint32_t other = symbol_of(r, overridden[i]);
    if (other != SYNTAX_NONE)
      syntax_draft_override(r->draft, (struct syntax_override){symbol, other});
    note_overridden(r, overridden[i], symbol);
  }
  r->clang->disposeOverriddenCursors(overridden);
}

/* The nodes from there on are a function. */
static void put_function(struct syntax_reader *r, CXCursor cursor, uint32_t node)
{
  struct syntax_function f = function_of_cursor(r, cursor, r->inside);
  f.node = node;
  syntax_draft_function(r->draft, f);
  put_lambdas(r);
}

static void read_function(struct syntax_reader *r, CXCursor cursor)
{
  const struct extent e = extent_of(r, cursor);
  const uint32_t node = syntax_draft_begin(r->draft, SYNTAX_FUNCTION, e.line);
  size_t count, first = children_of(r, cursor, &count);
  r->inside = symbol_of(r, cursor);
  set_symbol(r, node, r->inside);
  note_overridden(r, cursor, r->inside);
  for (size_t i = 0; i < count; i++) {
    const CXCursor child = r->child[first + i];
    if (r->clang->getCursorKind(child) == CXCursor_ParmDecl)
      read_variable(r, child, e.line);
    else if (is_code(r, child))
      read_cursor(r, child, false);
  }
  r->children = first;
  syntax_draft_end(r->draft, node);
  put_function(r, cursor, node);
}

/* A global variable matters if functions are put into it. */
static void read_global(struct syntax_reader *r, CXCursor cursor)
{
  const struct extent e = extent_of(r, cursor);
  const uint32_t node = r->draft->nodes;
  r->inside = symbol_of(r, cursor);
  read_variable(r, cursor, e.line);
  for (uint32_t i = node; !r->draft->failed && i < r->draft->nodes; i++) {
    const struct syntax_node *n = &r->draft->node[i];
    const bool names = n->kind == SYNTAX_NAME || n->kind == SYNTAX_LAMBDA;
    if (names && n->symbol != SYNTAX_NONE && r->draft->symbol[n->symbol].flags & SYMBOL_FUNCTION) {
      put_function(r, cursor, node);
      return;
    }
  }
  syntax_draft_cut(r->draft, node);
}

static enum CXChildVisitResult read_top(CXCursor cursor, CXCursor parent, CXClientData data)
{
  (void)parent;
  struct syntax_reader *r = data;
  const enum CXCursorKind kind = r->clang->getCursorKind(cursor);
  if (r->clang->Location_isInSystemHeader(r->clang->getCursorLocation(cursor)))
    return CXChildVisit_Continue;
  if (kind == CXCursor_Namespace || kind == CXCursor_LinkageSpec || kind == CXCursor_UnexposedDecl ||
      kind == CXCursor_ClassDecl || kind == CXCursor_StructDecl || kind == CXCursor_ClassTemplate)
    return CXChildVisit_Recurse;
  if ((is_function(kind) || kind == CXCursor_FunctionTemplate) && r->clang->isCursorDefinition(cursor))
    read_function(r, cursor);
  else if (kind == CXCursor_VarDecl && r->clang->isCursorDefinition(cursor))
    read_global(r, cursor);
  return CXChildVisit_Continue;
}

static void note_source(CXFile file, CXSourceLocation *stack, unsigned depth, CXClientData data)
{
  (void)stack;
  (void)depth;
  struct syntax_reader *r = data;
  CXString name = r->clang->getFileName(file);
  const char *path = r->clang->getCString(name);
  if (path && !missing_headers_is_empty(path))
    syntax_draft_source(r->draft, path, r->hash_of(path));
  r->clang->disposeString(name);
}

static void note_place(const char *path, void *data)
{
  struct syntax_reader *r = data;
  syntax_draft_source(r->draft, path, r->hash_of(path));
}

void *syntax_read(const struct compile_command *command, uint64_t (*hash_of)(const char *path), size_t *count,
                  char *error, size_t error_size)
{
  struct translation_unit u;
  struct syntax_draft draft;
  if (!translation_unit_open(&u, command, NULL, error, error_size))
    return NULL;
  struct file_contents seen[FILES_SEEN] = {0};
  struct syntax_reader r = {
      .clang = u.clang, .unit = u.unit, .draft = &draft, .hash_of = hash_of, .seen = seen, .inside = SYNTAX_NONE};
  if (syntax_draft_open(&draft)) {
    draft.problem = syntax_draft_text(&draft, u.problem, strlen(u.problem));
    r.clang->getInclusions(u.unit, note_source, &r);
    missing_headers_places(&u.missing, &u.meaning, note_place, &r);
    r.clang->visitChildren(r.clang->getTranslationUnitCursor(u.unit), read_top, &r);
  }
  void *bytes = syntax_draft_pack(&draft, count);
  if (!bytes)
    snprintf(error, error_size, "no memory left");
  free(r.child);
  free(r.kept_node);
  free(r.kept_lambda);
  syntax_draft_close(&draft);
  translation_unit_close(&u);
  return bytes;
}

#else

void *syntax_read(const struct compile_command *command, uint64_t (*hash_of)(const char *path), size_t *count,
                  char *error, size_t error_size)
{
  (void)command;
  (void)hash_of;
  *count = 0;
  libclang_open(error, error_size);
  return NULL;
}

#endif
