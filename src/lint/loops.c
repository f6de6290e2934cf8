/* SPDX-License-Identifier: Apache-2.0
 *
 * Loops and the conditions in them; see the header.
 */
#include "lint/loops.h"
#include <string.h>

static bool is_inside(const struct syntax *s, uint32_t node, uint32_t of)
{
  return node >= of && node < of + s->node[of].size;
}

static uint32_t slot(const struct syntax *s, uint32_t node, unsigned which)
{
  return syntax_child(s, node, which);
}

/* ---- loops ---- */

static bool is_loop(const struct syntax_node *n)
{
  return n->kind == SYNTAX_FOR || n->kind == SYNTAX_WHILE || n->kind == SYNTAX_DO || n->kind == SYNTAX_RANGE_FOR;
}

/* `do … while (0)` is how macros are written. */
static bool repeats(const struct syntax *s, uint32_t node)
{
  uint32_t condition = s->node[node].kind == SYNTAX_DO ? slot(s, node, 1) : SYNTAX_NONE;
  while (condition != SYNTAX_NONE && s->node[condition].kind == SYNTAX_MACRO && s->node[condition].size > 1)
    condition++;
  return condition == SYNTAX_NONE || s->node[condition].kind != SYNTAX_NUMBER || !s->node[condition].zero;
}

static struct lint_loop statement_loop(const struct whole_program *p, uint32_t function, uint32_t node)
{
  const uint32_t unit = p->function[function].unit;
  const struct syntax *s = &p->unit[unit].syntax;
  struct lint_loop loop = {.kind = LOOP_STATEMENT,
                           .function = function,
                           .unit = unit,
                           .node = node,
                           .from = node + 1,
                           .to = node + s->node[node].size,
                           .line = s->node[node].line};
  if (s->node[node].kind == SYNTAX_FOR)
    loop.from = slot(s, node, 1);
  return loop;
}

static void insert(struct lint_loop *out, unsigned *count, unsigned most, struct lint_loop loop)
{
  unsigned at = *count;
  while (at && out[at - 1].to - out[at - 1].from > loop.to - loop.from)
    at--;
  if (at == most)
    return;
  *count += *count < most;
  memmove(&out[at + 1], &out[at], (*count - at - 1) * sizeof *out);
  out[at] = loop;
}

static uint32_t label_of(const struct syntax *s, const struct program_function *f, uint32_t symbol)
{
  for (uint32_t i = f->node; symbol != SYNTAX_NONE && i < f->node + s->node[f->node].size; i++)
    if (s->node[i].kind == SYNTAX_LABEL && s->node[i].symbol == symbol)
      return i;
  return SYNTAX_NONE;
}

static bool leaves(const struct whole_program *p, struct code_place c)
{
  const struct syntax_node *n = program_node(p, c);
  return n->kind == SYNTAX_RETURN || n->kind == SYNTAX_GOTO || n->kind == SYNTAX_BREAK || n->kind == SYNTAX_CONTINUE ||
         n->kind == SYNTAX_THROW || (n->kind == SYNTAX_CALL && never_returns(p, c));
}

/* Whether what follows a label comes to the node: not if it is a clean-up that ends in a return or an exit. */
static bool falls_to(const struct whole_program *p, uint32_t unit, uint32_t label, uint32_t node)
{
  const struct program_unit *u = &p->unit[unit];
  for (uint32_t at = label, up = u->parent[label]; up != SYNTAX_NONE; at = up, up = u->parent[up]) {
    const bool in_order = u->syntax.node[up].kind == SYNTAX_BLOCK || u->syntax.node[up].kind == SYNTAX_LABEL;
    for (uint32_t next = at; in_order && next < up + u->syntax.node[up].size; next += u->syntax.node[next].size) {
      if (is_inside(&u->syntax, node, next))
        return true;
      const uint32_t statement = u->syntax.node[next].kind == SYNTAX_LABEL ? next + 1 : next;
      if (leaves(p, (struct code_place){unit, statement}))
        return false;
    }
    if (is_inside(&u->syntax, node, up))
      return true;
  }
  return false;
}

static void insert_gotos(const struct whole_program *p, uint32_t function, uint32_t node, struct lint_loop *out,
                         unsigned *count, unsigned most)
{
  const struct program_function *f = &p->function[function];
  const struct syntax *s = &p->unit[f->unit].syntax;
  for (uint32_t i = node; i < f->node + s->node[f->node].size; i++) {
    const uint32_t label = s->node[i].kind == SYNTAX_GOTO ? label_of(s, f, s->node[i].symbol) : SYNTAX_NONE;
    if (label == SYNTAX_NONE || label > node || !falls_to(p, f->unit, label, node))
      continue;
    insert(out, count, most,
           (struct lint_loop){.kind = LOOP_GOTO,
                              .function = function,
                              .unit = f->unit,
                              .node = label,
                              .from = label,
                              .to = i + 1,
                              .jump = i,
                              .line = s->node[label].line});
  }
}

unsigned loops_around(const struct whole_program *p, uint32_t function, uint32_t node, struct lint_loop *out,
                      unsigned most)
{
  const struct program_unit *u = &p->unit[p->function[function].unit];
  unsigned count = 0;
  for (uint32_t at = u->parent[node]; at != SYNTAX_NONE; at = u->parent[at]) {
    if (!is_loop(&u->syntax.node[at]) || !repeats(&u->syntax, at))
      continue;
    const struct lint_loop loop = statement_loop(p, function, at);
    const bool walked = u->syntax.node[at].kind == SYNTAX_RANGE_FOR && is_inside(&u->syntax, node, at + 1);
    if (node >= loop.from && node < loop.to && !walked)
      insert(out, &count, most, loop);
  }
  insert_gotos(p, function, node, out, &count, most);
  return count;
}

struct lint_loop loop_of_function(const struct whole_program *p, uint32_t function, enum loop_kind kind)
{
  const struct program_function *f = &p->function[function];
  const struct syntax_node *n = &p->unit[f->unit].syntax.node[f->node];
  return (struct lint_loop){.kind = kind,
                            .function = function,
                            .unit = f->unit,
                            .node = f->node,
                            .from = f->node + 1,
                            .to = f->node + n->size,
                            .line = n->line};
}

/* ---- guards ---- */

/* The guard that a branch gives to what is below its child; true if it gives none. */
static const struct condition *guard_by(struct conditions *c, const struct whole_program *p, struct code_place parent,
                                        uint32_t child, unsigned level)
{
  const struct syntax *s = program_syntax(p, parent);
  const struct syntax_node *n = program_node(p, parent);
  const struct code_place asked = {parent.unit, parent.node + 1};
  if (n->kind == SYNTAX_IF || n->kind == SYNTAX_CONDITIONAL) {
    if (child == slot(s, parent.node, 1))
      return condition_of(c, p, asked, false, level);
    if (child == slot(s, parent.node, 2))
      return condition_of(c, p, asked, true, level);
  }
  if (n->kind == SYNTAX_BINARY && (n->op == OPERATOR_AND || n->op == OPERATOR_OR) && child != parent.node + 1)
    return condition_of(c, p, asked, n->op == OPERATOR_OR, level);
  return condition_constant(true);
}

/* ---- switches ---- */

static bool is_label(const struct syntax_node *n)
{
  return n->kind == SYNTAX_CASE || n->kind == SYNTAX_DEFAULT;
}

/* The statement behind a label; SYNTAX_NONE: there is none. */
static uint32_t labelled(const struct syntax *s, uint32_t label)
{
  uint32_t last = SYNTAX_NONE;
  for (uint32_t at = label + 1; at < label + s->node[label].size; at += s->node[at].size)
    last = at;
  return last;
}

/* Whether what follows a statement is not reached from it. */
static bool ends(const struct whole_program *p, uint32_t unit, uint32_t node)
{
  const struct syntax *s = &p->unit[unit].syntax;
  const uint8_t kind = s->node[node].kind;
  const uint32_t last = labelled(s, node), other = kind == SYNTAX_IF ? slot(s, node, 1) : last;
  if (is_label(&s->node[node]) || kind == SYNTAX_LABEL || kind == SYNTAX_BLOCK || kind == SYNTAX_IF)
    return last != SYNTAX_NONE && ends(p, unit, last) && (other == last || ends(p, unit, other));
  return leaves(p, (struct code_place){unit, node});
}

/* The statements of a switch: those of its block, or the only one. */
static uint32_t first_of_switch(const struct syntax *s, uint32_t body, uint32_t *end)
{
  *end = body + s->node[body].size;
  return s->node[body].kind == SYNTAX_BLOCK ? body + 1 : body;
}

/* The label, the outermost of several, that a statement in the body of a switch stands behind; from: the first of those
 * from which it is reached, as nothing between leaves the switch. SYNTAX_NONE: there is none. */
static uint32_t case_of(const struct whole_program *p, uint32_t unit, uint32_t body, uint32_t node, uint32_t *from)
{
  const struct syntax *s = &p->unit[unit].syntax;
  uint32_t end, label = SYNTAX_NONE, before = SYNTAX_NONE;
  *from = SYNTAX_NONE;
  for (uint32_t at = first_of_switch(s, body, &end); at < end && at <= node; before = at, at += s->node[at].size) {
    if (!is_label(&s->node[at]))
      continue;
    if (*from == SYNTAX_NONE || ends(p, unit, before))
      *from = at;
    label = at;
  }
  return label;
}

/* Of a label and those that stand directly behind it: case 1: case 2: … are one in the other. */
static const struct condition *when_labelled(struct conditions *c, const struct syntax *s, struct code_place value,
                                             uint32_t label, unsigned level)
{
  const struct condition *any = condition_constant(false);
  for (uint32_t at = label; at != SYNTAX_NONE && is_label(&s->node[at]); at = labelled(s, at)) {
    const bool range = s->node[at].kind == SYNTAX_CASE && syntax_child(s, at, 2) != SYNTAX_NONE;
    const bool other = s->node[at].kind == SYNTAX_DEFAULT || range;
    any = condition_or(c, any, condition_case(c, value, (struct code_place){value.unit, other ? at : at + 1}, level));
  }
  return any;
}

static const struct condition *guard_by_switch(struct conditions *c, const struct whole_program *p,
                                               struct code_place parent, uint32_t node, unsigned level)
{
  const struct syntax *s = program_syntax(p, parent);
  const uint32_t body = slot(s, parent.node, 1);
  uint32_t from;
  if (body == SYNTAX_NONE || !is_inside(s, node, body))
    return condition_constant(true);
  const uint32_t label = case_of(p, parent.unit, body, node, &from);
  const struct condition *any = condition_constant(label == SYNTAX_NONE);
  for (uint32_t at = from; label != SYNTAX_NONE && at <= label; at += s->node[at].size)
    if (is_label(&s->node[at]))
      any = condition_or(c, any, when_labelled(c, s, (struct code_place){parent.unit, parent.node + 1}, at, level));
  return any;
}

/* ---- guards of a node ---- */

/* Whether the branch that the node is in, below that child, is around the other one as well. */
static bool has_same_guard(const struct whole_program *p, struct code_place parent, uint32_t child, uint32_t node,
                           uint32_t other)
{
  const struct syntax *s = program_syntax(p, parent);
  if (!is_inside(s, other, parent.node))
    return false;
  if (s->node[parent.node].kind == SYNTAX_SWITCH) {
    const uint32_t body = slot(s, parent.node, 1);
    uint32_t from;
    return body != SYNTAX_NONE && is_inside(s, other, body) &&
           case_of(p, parent.unit, body, other, &from) == case_of(p, parent.unit, body, node, &from);
  }
  return is_inside(s, other, child);
}

const struct condition *guards_of(struct conditions *c, const struct whole_program *p, const struct lint_loop *loop,
                                  uint32_t node, uint32_t other, unsigned level)
{
  const struct program_unit *u = &p->unit[loop->unit];
  const struct condition *all = condition_constant(true);
  for (uint32_t child = node, at = u->parent[node]; at != SYNTAX_NONE && at >= loop->from && child >= loop->from;
       child = at, at = u->parent[at]) {
    const struct code_place parent = {loop->unit, at};
    if (has_same_guard(p, parent, child, node, other))
      continue;
    const struct condition *guard = u->syntax.node[at].kind == SYNTAX_SWITCH
                                        ? guard_by_switch(c, p, parent, node, level)
                                        : guard_by(c, p, parent, child, level);
    all = condition_and(c, guard, all);
  }
  return all;
}

/* ---- jumps ---- */

enum jump { JUMP_NONE, JUMP_OUT, JUMP_ON };

/* The loop or switch that a break or continue belongs to. */
static uint32_t target_of(const struct program_unit *u, uint32_t node)
{
  const bool continues = u->syntax.node[node].kind == SYNTAX_CONTINUE;
  for (uint32_t at = u->parent[node]; at != SYNTAX_NONE; at = u->parent[at])
    if (is_loop(&u->syntax.node[at]) || (!continues && u->syntax.node[at].kind == SYNTAX_SWITCH))
      return at;
  return SYNTAX_NONE;
}

/* Whether a statement leaves the loop, or goes on with its next turn. */
static enum jump jump_of(const struct whole_program *p, const struct lint_loop *loop, uint32_t node, uint32_t call)
{
  const struct program_unit *u = &p->unit[loop->unit];
  const struct syntax_node *n = &u->syntax.node[node];
  uint32_t label;
  switch (n->kind) {
  case SYNTAX_BREAK:
    return loop->kind == LOOP_STATEMENT && target_of(u, node) == loop->node ? JUMP_OUT : JUMP_NONE;
  case SYNTAX_CONTINUE:
    return loop->kind == LOOP_STATEMENT && target_of(u, node) == loop->node ? JUMP_ON : JUMP_NONE;
  case SYNTAX_RETURN:
  case SYNTAX_THROW:
    return JUMP_OUT;
  case SYNTAX_CALL:
    return never_returns(p, (struct code_place){loop->unit, node}) ? JUMP_OUT : JUMP_NONE;
  case SYNTAX_GOTO:
    label = label_of(&u->syntax, &p->function[loop->function], n->symbol);
    if (label == SYNTAX_NONE || (loop->kind == LOOP_GOTO && node == loop->jump))
      return JUMP_NONE;
    if (label < loop->from || label >= loop->to)
      return loop->kind == LOOP_GOTO && label == loop->node ? JUMP_ON : JUMP_OUT;
    return label > call ? JUMP_ON : JUMP_NONE;
  default:
    return JUMP_NONE;
  }
}

/* What may run between a call and what follows it in the same turn begins there: with the call, or with the loop that
 * it is in within this one. */
static uint32_t after_call(const struct program_unit *u, const struct lint_loop *loop, uint32_t call)
{
  uint32_t from = call;
  for (uint32_t at = u->parent[call]; at != SYNTAX_NONE && at >= loop->from; at = u->parent[at])
    if (is_loop(&u->syntax.node[at]))
      from = at;
  return from;
}

/* A jump behind a call that nothing guards is reached unless another one between them went on with the next turn. */
static const struct condition *when_not_skipped(struct conditions *c, const struct whole_program *p,
                                                const struct lint_loop *loop, uint32_t jump, uint32_t call,
                                                unsigned level)
{
  const struct condition *all = condition_constant(true);
  for (uint32_t i = after_call(&p->unit[loop->unit], loop, call); i < jump; i++)
    if (jump_of(p, loop, i, call) == JUMP_ON)
      all = condition_and(c, all, condition_not(c, guards_of(c, p, loop, i, jump, level)));
  return all;
}

/* What holds at the call because the jump was not taken. */
static const struct condition *without_jump(struct conditions *c, const struct whole_program *p,
                                            const struct lint_loop *loop, uint32_t node, uint32_t call, unsigned level)
{
  const enum jump jump = jump_of(p, loop, node, call);
  const bool skips = jump == JUMP_ON || !loop_keeps_locals(loop); /* of a function, only what comes before counts */
  if (jump == JUMP_NONE || (skips && node > call))
    return condition_constant(true);
  const struct condition *guard = guards_of(c, p, loop, node, call, level);
  if (guard->kind == CONDITION_TRUE && node > call)
    guard = when_not_skipped(c, p, loop, node, call, level);
  else if (guard->kind == CONDITION_TRUE)
    return guard; /* nobody would come to the call */
  return condition_not(c, guard);
}

/* ---- conditions ---- */

const struct condition *loop_condition(struct conditions *c, const struct whole_program *p,
                                       const struct lint_loop *loop, unsigned level)
{
  const struct syntax *s = &p->unit[loop->unit].syntax;
  if (loop->kind == LOOP_GOTO)
    return guards_of(c, p, loop, loop->jump, SYNTAX_NONE, level);
  if (loop->kind != LOOP_STATEMENT || s->node[loop->node].kind == SYNTAX_RANGE_FOR)
    return condition_constant(true);
  const unsigned which = s->node[loop->node].kind == SYNTAX_WHILE ? 0 : 1;
  const uint32_t asked = slot(s, loop->node, which);
  return asked == SYNTAX_NONE ? condition_constant(true)
                              : condition_of(c, p, (struct code_place){loop->unit, asked}, false, level);
}

static bool waits(const struct whole_program *p, uint32_t unit, uint32_t node)
{
  size_t length;
  for (uint32_t i = node; i < node + p->unit[unit].syntax.node[node].size; i++) {
    const char *name = called_name(p, (struct code_place){unit, i}, &length);
    if (length && (memmem(name, length, "wait", 4) || memmem(name, length, "sleep", 5)))
      return true;
  }
  return false;
}

/* `while (full) wait();` before the call: then it is not full. */
static const struct condition *after_waiting(struct conditions *c, const struct whole_program *p,
                                             const struct lint_loop *loop, uint32_t node, uint32_t call, unsigned level)
{
  const struct syntax *s = &p->unit[loop->unit].syntax;
  if (s->node[node].kind != SYNTAX_WHILE || node + s->node[node].size > call || !waits(p, loop->unit, node) ||
      guards_of(c, p, loop, node, call, level)->kind != CONDITION_TRUE)
    return condition_constant(true);
  const struct condition *asked = condition_of(c, p, (struct code_place){loop->unit, node + 1}, true, level);
  return asked->kind == CONDITION_FALSE ? condition_constant(true) : asked;
}

/* The guard that the node itself, being a branch around the call, gives to it. */
static const struct condition *guard_around(struct conditions *c, const struct whole_program *p,
                                            const struct lint_loop *loop, uint32_t node, uint32_t call, unsigned level)
{
  const struct program_unit *u = &p->unit[loop->unit];
  const uint8_t kind = u->syntax.node[node].kind;
  if (!is_inside(&u->syntax, call, node) || node == call)
    return condition_constant(true);
  uint32_t child = call;
  while (u->parent[child] != node)
    child = u->parent[child];
  const struct code_place parent = {loop->unit, node};
  return kind == SYNTAX_SWITCH ? guard_by_switch(c, p, parent, call, level) : guard_by(c, p, parent, child, level);
}

/* Whether a node is in a lambda that the call is not in: its jumps are its own. */
static bool is_elsewhere(const struct syntax *s, uint32_t node, uint32_t call)
{
  return s->node[node].kind == SYNTAX_LAMBDA && !is_inside(s, call, node);
}

const struct condition *reaching_condition(struct conditions *c, const struct whole_program *p,
                                           const struct lint_loop *loop, uint32_t node, unsigned level)
{
  const struct syntax *s = &p->unit[loop->unit].syntax;
  const struct condition *all = loop_condition(c, p, loop, level);
  for (uint32_t i = loop->from; i <= node; i++) {
    if (is_elsewhere(s, i, node)) {
      i += s->node[i].size - 1;
      continue;
    }
    all = condition_and(c, all, guard_around(c, p, loop, i, node, level));
    all = condition_and(c, all, without_jump(c, p, loop, i, node, level));
    all = condition_and(c, all, after_waiting(c, p, loop, i, node, level));
  }
  return all;
}

const struct condition *instantiation_condition(struct conditions *c, const struct whole_program *p,
                                                const struct lint_loop *loop, uint32_t node, unsigned level)
{
  const struct syntax *s = &p->unit[loop->unit].syntax;
  const struct condition *all = reaching_condition(c, p, loop, node, level);
  for (uint32_t i = node + 1; i < loop->to; i++)
    if (is_elsewhere(s, i, node))
      i += s->node[i].size - 1;
    else
      all = condition_and(c, all, without_jump(c, p, loop, i, node, level));
  return all;
}
