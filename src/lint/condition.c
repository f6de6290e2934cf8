/* SPDX-License-Identifier: Apache-2.0
 *
 * Conditions; see the header.
 */
#include "lint/condition.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK 64

static const struct condition always = {.kind = CONDITION_TRUE}, never = {.kind = CONDITION_FALSE};

const struct condition *condition_constant(bool value)
{
  return value ? &always : &never;
}

void conditions_close(struct conditions *c)
{
  for (size_t i = 0; i < c->blocks; i++)
    free(c->block[i]);
  free(c->block);
  *c = (struct conditions){0};
}

static const struct condition *make(struct conditions *c, struct condition condition)
{
  if (!c->blocks || c->used == BLOCK) {
    struct condition **grown = realloc(c->block, (c->blocks + 1) * sizeof *grown);
    if (grown)
      c->block = grown;
    struct condition *fresh = grown ? malloc(BLOCK * sizeof *fresh) : NULL;
    c->failed |= !fresh;
    if (!fresh)
      return &always;
    c->block[c->blocks++] = fresh;
    c->used = 0;
  }
  struct condition *place = &c->block[c->blocks - 1][c->used++];
  *place = condition;
  return place;
}

static bool includes(const struct condition *all, const struct condition *one)
{
  if (all->kind == CONDITION_AND)
    return includes(all->left, one) || includes(all->right, one);
  return all->kind == CONDITION_SIMPLE && one->kind == CONDITION_SIMPLE && all->code.unit == one->code.unit &&
         all->code.node == one->code.node && all->negated == one->negated && all->value.node == one->value.node;
}

/* What is there already is not said twice. */
const struct condition *condition_and(struct conditions *c, const struct condition *left, const struct condition *right)
{
  if (left->kind == CONDITION_TRUE || right->kind == CONDITION_FALSE)
    return right;
  if (right->kind == CONDITION_TRUE || left->kind == CONDITION_FALSE || includes(left, right))
    return left;
  return make(c, (struct condition){.kind = CONDITION_AND, .left = left, .right = right});
}

const struct condition *condition_or(struct conditions *c, const struct condition *left, const struct condition *right)
{
  if (left->kind == CONDITION_TRUE || right->kind == CONDITION_FALSE)
    return left;
  if (right->kind == CONDITION_TRUE || left->kind == CONDITION_FALSE)
    return right;
  return make(c, (struct condition){.kind = CONDITION_OR, .left = left, .right = right});
}

const struct condition *condition_not(struct conditions *c, const struct condition *condition)
{
  if (condition->kind == CONDITION_AND)
    return condition_or(c, condition_not(c, condition->left), condition_not(c, condition->right));
  if (condition->kind == CONDITION_OR)
    return condition_and(c, condition_not(c, condition->left), condition_not(c, condition->right));
  if (condition->kind != CONDITION_SIMPLE)
    return condition_constant(condition->kind == CONDITION_FALSE);
  struct condition turned = *condition;
  turned.negated = !turned.negated;
  return make(c, turned);
}

static bool is_comparison(const struct syntax_node *n)
{
  return n->kind == SYNTAX_BINARY && n->op >= OPERATOR_LT && n->op <= OPERATOR_NE;
}

const struct condition *condition_of(struct conditions *c, const struct whole_program *p, struct code_place code,
                                     bool negated, unsigned level)
{
  const struct syntax_node *n = program_node(p, code);
  const struct code_place first = code_child(p, code, 0);
  if (n->kind == SYNTAX_EMPTY)
    return condition_constant(!negated);
  if (n->kind == SYNTAX_MACRO && code_is(first) && !called_meaning(p, code)) {
    const struct syntax_node *inner = program_node(p, first);
    const bool asks =
        inner->kind == SYNTAX_BINARY && (inner->op == OPERATOR_AND || inner->op == OPERATOR_OR || is_comparison(inner));
    if (asks || (inner->kind == SYNTAX_UNARY && inner->op == OPERATOR_NOT) || inner->kind == SYNTAX_NUMBER)
      return condition_of(c, p, first, negated, level);
  }
  if (n->kind == SYNTAX_UNARY && n->op == OPERATOR_NOT)
    return condition_of(c, p, first, !negated, level);
  if (n->kind == SYNTAX_BINARY && n->op == OPERATOR_COMMA)
    return condition_of(c, p, code_child(p, code, 1), negated, level);
  if (n->kind == SYNTAX_NUMBER)
    return condition_constant(n->zero == negated);
  if (n->kind == SYNTAX_BINARY && (n->op == OPERATOR_AND || n->op == OPERATOR_OR)) {
    const struct condition *left = condition_of(c, p, first, negated, level);
    const struct condition *right = condition_of(c, p, code_child(p, code, 1), negated, level);
    return (n->op == OPERATOR_AND) != negated ? condition_and(c, left, right) : condition_or(c, left, right);
  }
  return make(
      c,
      (struct condition){
          .kind = CONDITION_SIMPLE, .code = code, .value = {.node = PROGRAM_NONE}, .negated = negated, .level = level});
}

const struct condition *condition_case(struct conditions *c, struct code_place value, struct code_place label,
                                       unsigned level)
{
  return make(c, (struct condition){.kind = CONDITION_SIMPLE, .code = value, .value = label, .level = level});
}

/* Of a default, or of a range of values. */
static bool is_other_value(const struct whole_program *p, const struct condition *simple)
{
  const uint8_t kind = code_is(simple->value) ? program_node(p, simple->value)->kind : SYNTAX_EMPTY;
  return kind == SYNTAX_DEFAULT || kind == SYNTAX_CASE;
}

enum syntax_operator condition_operator(const struct whole_program *p, const struct condition *simple)
{
  static const uint8_t opposite[] = {
      [OPERATOR_LT] = OPERATOR_GE, [OPERATOR_GE] = OPERATOR_LT, [OPERATOR_GT] = OPERATOR_LE,
      [OPERATOR_LE] = OPERATOR_GT, [OPERATOR_EQ] = OPERATOR_NE, [OPERATOR_NE] = OPERATOR_EQ,
  };
  const struct syntax_node *n = program_node(p, simple->code);
  if (is_other_value(p, simple))
    return OPERATOR_OTHER;
  if (code_is(simple->value))
    return simple->negated ? OPERATOR_NE : OPERATOR_EQ;
  if (!is_comparison(n))
    return OPERATOR_NONE;
  return simple->negated ? opposite[n->op] : n->op;
}

/* ---- text ---- */

static void put(char *out, size_t size, const char *text)
{
  const size_t used = strlen(out);
  snprintf(out + used, size - used, "%s", text);
}

static const char *text_of(const struct whole_program *p, struct code_place c)
{
  return syntax_text(program_syntax(p, c), program_node(p, c)->text);
}

static void put_code(const struct whole_program *p, struct code_place c, char *out, size_t size)
{
  char object[OBJECT_TEXT];
  if (*text_of(p, c))
    put(out, size, text_of(p, c));
  else if (object_text(p, c, object))
    put(out, size, object);
  else
    put(out, size, "...");
}

/* The use of a macro that a comparison is all of: what a person reads there; none: it is none. */
static struct code_place macro_around(const struct whole_program *p, struct code_place c)
{
  const uint32_t above = p->unit[c.unit].parent[c.node];
  const bool is = above != SYNTAX_NONE && p->unit[c.unit].syntax.node[above].kind == SYNTAX_MACRO;
  return (struct code_place){c.unit, is ? above : PROGRAM_NONE};
}

static void put_simple(const struct whole_program *p, const struct condition *simple, char *out, size_t size)
{
  static const char *const words[] = {[OPERATOR_LT] = " < ",  [OPERATOR_GT] = " > ",  [OPERATOR_LE] = " <= ",
                                      [OPERATOR_GE] = " >= ", [OPERATOR_EQ] = " == ", [OPERATOR_NE] = " != "};
  const enum syntax_operator op = condition_operator(p, simple);
  if (op == OPERATOR_OTHER) {
    put(out, size, simple->negated ? "a value with a case of its own of " : "another value of ");
    put_code(p, simple->code, out, size);
    return;
  }
  const bool is_case = code_is(simple->value);
  const struct code_place macro = macro_around(p, simple->code);
  if (op != OPERATOR_NONE && !is_case && code_is(macro)) {
    put(out, size, simple->negated ? "!" : "");
    put_code(p, macro, out, size);
    return;
  }
  if (op != OPERATOR_NONE) {
    put_code(p, is_case ? simple->code : code_child(p, simple->code, 0), out, size);
    put(out, size, words[op]);
    put_code(p, is_case ? simple->value : code_child(p, simple->code, 1), out, size);
    return;
  }
  const uint8_t kind = program_node(p, simple->code)->kind;
  const bool plain = kind == SYNTAX_NAME || kind == SYNTAX_MEMBER || kind == SYNTAX_CALL || kind == SYNTAX_INDEX ||
                     kind == SYNTAX_MACRO;
  put(out, size, !simple->negated ? "" : plain ? "!" : "!(");
  put_code(p, simple->code, out, size);
  put(out, size, simple->negated && !plain ? ")" : "");
}

static void put_condition(const struct whole_program *p, const struct condition *c, char *out, size_t size, bool inner)
{
  if (strlen(out) + 1 == size) /* the rest is cut, and may be thousands of parts */
    return;
  if (c->kind == CONDITION_TRUE || c->kind == CONDITION_FALSE) {
    put(out, size, c->kind == CONDITION_TRUE ? "true" : "false");
    return;
  }
  if (c->kind == CONDITION_SIMPLE) {
    put_simple(p, c, out, size);
    return;
  }
  const bool braces = inner && c->kind == CONDITION_OR;
  put(out, size, braces ? "(" : "");
  put_condition(p, c->left, out, size, c->kind == CONDITION_AND);
  put(out, size, c->kind == CONDITION_AND ? " && " : " || ");
  put_condition(p, c->right, out, size, true);
  put(out, size, braces ? ")" : "");
}

#define PART_TEXT 256

static bool has_text(const struct whole_program *p, const struct condition *all, const char *text)
{
  char part[PART_TEXT];
  if (all->kind == CONDITION_AND)
    return has_text(p, all->left, text) || has_text(p, all->right, text);
  if (all->kind != CONDITION_SIMPLE)
    return false;
  condition_text(p, all, part, sizeof part);
  return !strcmp(part, text);
}

bool condition_says(const struct whole_program *p, const struct condition *all, const struct condition *simple)
{
  char text[PART_TEXT];
  condition_text(p, simple, text, sizeof text);
  return has_text(p, all, text);
}

void condition_text(const struct whole_program *p, const struct condition *condition, char *out, size_t size)
{
  out[0] = '\0';
  put_condition(p, condition, out, size, false);
}
