/* SPDX-License-Identifier: Apache-2.0
 *
 * The verdicts about a loop; see the header.
 */
#include "lint/bounding.h"
#include "lint/bounding_parts.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define QUESTION_DEPTH 8

/* `!most || count < most`: 0 switches the limit off, which somebody must want. */
static bool switches_off(const struct judging *j, const struct condition *off, const struct condition *limit)
{
  const struct whole_program *p = j->program;
  struct c_object o;
  if (off->kind != CONDITION_SIMPLE || limit->kind != CONDITION_SIMPLE || code_is(off->value) ||
      code_is(limit->value) || condition_operator(p, limit) == OPERATOR_NONE)
    return false;
  const enum syntax_operator op = condition_operator(p, off);
  const struct code_place asked = op == OPERATOR_NONE ? off->code : code_child(p, off->code, 0);
  const bool zero = op == OPERATOR_NONE ? off->negated : op == OPERATOR_EQ || op == OPERATOR_LE || op == OPERATOR_LT;
  return zero && object_of(p, asked, &o) &&
         (is_object(p, code_child(p, limit->code, 0), &o) || is_object(p, code_child(p, limit->code, 1), &o));
}

/* `(stopped || count < most) && !stopped`: only the other one can hold. */
static bool is_contradicted(const struct judging *j, const struct condition *c)
{
  return j->whole && c->kind == CONDITION_SIMPLE &&
         condition_says(j->program, j->whole, condition_not(j->conditions, c));
}

struct bound_answer bounding(struct judging *j, const struct condition *c)
{
  if (c->kind == CONDITION_TRUE || j->depth > QUESTION_DEPTH)
    return (struct bound_answer){.why = "there is no condition"};
  if (c->kind == CONDITION_FALSE)
    return (struct bound_answer){.total = true, .live = true};
  struct bound_answer left, right;
  if (c->kind == CONDITION_SIMPLE) {
    j->depth++; /* of questions, not of how many parts a condition has */
    left = simple_answer(j, c);
    j->depth--;
  } else {
    left = bounding(j, c->left);
    if (c->kind == CONDITION_AND ? left.total
                                 : !left.live && !switches_off(j, c->left, c->right) && !is_contradicted(j, c->left))
      return left; /* whatever the other one is, and there may be thousands */
    right = bounding(j, c->right);
    if (c->kind == CONDITION_OR && (switches_off(j, c->left, c->right) || is_contradicted(j, c->left)))
      left = right;
    else if (c->kind == CONDITION_OR && (switches_off(j, c->right, c->left) || is_contradicted(j, c->right)))
      right = left;
    const bool and = c->kind == CONDITION_AND;
    struct bound_answer both = and == left.total ? left : right;
    if (and&&!left.total && !right.total)
      both = left.live ? left : right;
    both.total = and? left.total || right.total : left.total && right.total;
    both.live = and? left.live || right.live : left.live && right.live;
    left = both;
  }
  return left;
}

/* ---- reasons ---- */

static void add_reason(struct loop_verdict *v, const char *condition, const char *why)
{
  for (unsigned i = 0; i < v->reasons; i++)
    if (!strcmp(v->reason[i].condition, condition))
      return;
  v->more_reasons |= v->reasons == REASONS_MOST;
  if (v->more_reasons)
    return;
  struct bound_reason *r = &v->reason[v->reasons++];
  snprintf(r->condition, sizeof r->condition, "%s", condition);
  snprintf(r->why, sizeof r->why, "%s", why);
}

static void add_reasons(struct judging *j, const struct condition *c, struct loop_verdict *v)
{
  char text[REASON_SIZE];
  if (v->more_reasons)
    return;
  if (c->kind == CONDITION_AND || c->kind == CONDITION_OR) {
    add_reasons(j, c->left, v);
    add_reasons(j, c->right, v);
  } else if (c->kind == CONDITION_SIMPLE) {
    const struct bound_answer a = simple_answer(j, c);
    condition_text(j->program, c, text, sizeof text);
    if (!a.total)
      add_reason(v, text, a.why);
  }
}

/* ---- the verdict ---- */

/* What is asked in the functions between the loop and the creation belongs to it. */
static const struct condition *whole_condition(struct judging *j)
{
  const struct bound_question *q = j->question;
  const struct condition *all =
      instantiation_condition(j->conditions, j->program, &q->loop, q->step[q->level].code.node, q->level);
  for (unsigned level = q->level; level-- > 0;) {
    const struct lint_loop body = loop_of_level(j, level);
    all = condition_and(j->conditions, all,
                        instantiation_condition(j->conditions, j->program, &body, q->step[level].code.node, level));
  }
  return all;
}

static void judge_condition(struct judging *j, struct loop_verdict *v)
{
  const struct condition *c = whole_condition(j);
  j->whole = c;
  const struct bound_answer a = bounding(j, c);
  condition_text(j->program, c, v->condition, sizeof v->condition);
  v->total = a.total;
  v->total_pattern = a.total ? a.pattern : 0;
  v->live = a.total || a.live;
  v->live_pattern = a.live ? a.pattern : 0;
  if (a.live && !a.total)
    snprintf(v->live_why, sizeof v->live_why, "%s", a.why);
  if (!v->total)
    add_reasons(j, c, v);
}

static void judge_live(struct judging *j, struct loop_verdict *v)
{
  if (v->live)
    return;
  v->live_pattern = has_slots(j, v->live_why) || takes_place(j, v->live_why) ? 7
                    : asks_itself(j, v->live_why)                            ? 8
                    : joins_in_turn(j, v->live_why)                          ? 10
                                                                             : 0;
  v->live = v->live_pattern;
}

bool loop_judge(const struct bound_question *question, struct loop_verdict *v)
{
  struct conditions conditions = {0};
  struct changes_seen seen[CHANGES_SEEN] = {0};
  struct judging j = {.program = question->program, .question = question, .conditions = &conditions, .seen = seen};
  char why[REASON_SIZE];
  *v = (struct loop_verdict){0};
  for (unsigned i = 0; i <= question->level; i++) {
    const struct lint_loop body = loop_of_level(&j, i);
    j.stretch[i] = (struct stretch){body.unit, body.from, body.to};
  }
  if (loop_is_walk(&j, &v->total_pattern, why)) {
    v->total = v->live = true;
    v->live_pattern = v->total_pattern;
  } else {
    v->total_pattern = 0;
    judge_condition(&j, v);
    if (why[0] && !v->total)
      add_reason(v, "the walk", why);
    judge_live(&j, v);
    if (!v->live && question->asks_outside && comes_from_outside(&j, &v->outside) && !seems_limited(&j, v->limit))
      v->limit[0] = '\0';
  }
  const bool good = !conditions.failed && !j.failed;
  free(j.reached);
  conditions_close(&conditions);
  return good;
}
