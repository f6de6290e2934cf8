/* SPDX-License-Identifier: Apache-2.0
 *
 * Statements taken apart; see pin_split.h.
 */
#include "report/pin/pin_split.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An assignment: `target op= value`, or `target = value` with no operator; ++ is += 1. */
struct update {
  size_t target_from, target_to;
  char operator[3];            /* empty: none */
  size_t value_from, value_to; /* none, of ++ and -- */
  bool one;
};

static void trim(const char *code, size_t *from, size_t *to)
{
  while (*from < *to && isspace((unsigned char)code[*from]))
    ++*from;
  while (*from < *to && isspace((unsigned char)code[*to - 1]))
    --*to;
}

static bool is_bracket(char c, const char *of)
{
  return c && strchr(of, c);
}

/* Of the comparisons that look like one. */
static bool is_assignment(const char *code, size_t from, size_t at)
{
  if (code[at] != '=' || code[at + 1] == '=')
    return false;
  const char before = at > from ? code[at - 1] : ' ';
  if (before == '=' || before == '!')
    return false;
  const bool shift = at > from + 1 && code[at - 2] == before;
  return (before != '<' && before != '>') || shift;
}

/* `x++`, `--x`: the whole expression. */
static bool find_step(const char *code, size_t from, size_t to, struct update *u)
{
  if (to - from < 3)
    return false;
  for (unsigned i = 0; i < 2; i++) {
    const char *sign = i ? "--" : "++";
    const bool before = !memcmp(code + from, sign, 2), behind = !memcmp(code + to - 2, sign, 2);
    if (before == behind)
      continue;
    *u = (struct update){.target_from = before ? from + 2 : from, .target_to = before ? to : to - 2, .one = true};
    memcpy(u->operator, i ? "-" : "+", 2);
    trim(code, &u->target_from, &u->target_to);
    return true;
  }
  return false;
}

static bool find_update(const char *code, size_t from, size_t to, struct update *u)
{
  size_t open = 0;
  trim(code, &from, &to);
  for (size_t at = from; at < to; at++) {
    open += is_bracket(code[at], "([{");
    open -= is_bracket(code[at], ")]}");
    if (open || !is_assignment(code, from, at))
      continue;
    size_t end = at, n = 0;
    while (end > from && is_bracket(code[end - 1], "+-*/%&|^<>") && n < 2) {
      end--;
      n++;
    }
    *u = (struct update){.target_from = from, .target_to = end, .value_from = at + 1, .value_to = to};
    memcpy(u->operator, code + end, n);
    trim(code, &u->target_from, &u->target_to);
    trim(code, &u->value_from, &u->value_to);
    return u->target_to > u->target_from && u->value_to > u->value_from;
  }
  return find_step(code, from, to, u);
}

/* Evaluating it twice would do something twice. */
static bool does_something(const char *code, size_t from, size_t to)
{
  for (size_t at = from; at < to; at++)
    if ((at + 1 < to && (!memcmp(code + at, "++", 2) || !memcmp(code + at, "--", 2))) ||
        (code[at] == '(' && at > from && (isalnum((unsigned char)code[at - 1]) || code[at - 1] == '_')))
      return true;
  return false;
}

/* Neither needs parentheses behind an operator. */
static bool is_word(const char *code, size_t from, size_t to)
{
  for (; from < to; from++)
    if (!isalnum((unsigned char)code[from]) && code[from] != '_')
      return false;
  return true;
}

static void print_value(FILE *out, const char *text, const char *code, const struct update *u)
{
  const bool word = is_word(code, u->value_from, u->value_to);
  if (u->one)
    fputc('1', out);
  else
    fprintf(out, word ? "%.*s" : "(%.*s)", (int)(u->value_to - u->value_from), text + u->value_from);
}

char *split_update(const char *text, const char *code, const struct source_statement *s, const char *indent,
                   const char *events)
{
  struct update u;
  char *split = NULL, *target;
  size_t bytes;
  if (s->kind != STATEMENT_SIMPLE || !find_update(code, s->from, s->to - 1, &u))
    return NULL;
  const int length = (int)(u.target_to - u.target_from);
  const bool by_address = does_something(code, u.target_from, u.target_to);
  if (asprintf(&target, "%.*s", length, text + u.target_from) < 0)
    return NULL;
  FILE *out = open_memstream(&split, &bytes);
  if (!out) {
    free(target);
    return NULL;
  }
  const char *place = by_address ? "*hd_at" : target;
  fputs("{\n", out);
  if (by_address)
    fprintf(out, "%s  __typeof__(%s) *hd_at = &%s;\n", indent, target, target);
  if (u.operator[0]) {
    fprintf(out, "%s  __typeof__(%s) hd_old = %s;\n%s%s  %s = hd_old %s ", indent, target, place, events, indent, place,
            u.operator);
    print_value(out, text, code, &u);
  } else {
    fprintf(out, "%s  __typeof__(%s) hd_new = %.*s;\n%s%s  %s = hd_new", indent, target,
            (int)(u.value_to - u.value_from), text + u.value_from, events, indent, place);
  }
  fprintf(out, ";\n%s}", indent);
  const bool written = fclose(out) == 0;
  free(target);
  if (written)
    return split;
  free(split);
  return NULL;
}

/* A name is not a part of a longer one, nor a member of something else. */
static bool stands_alone(const char *code, size_t from, size_t to, size_t at, size_t length)
{
  const char before = at > from ? code[at - 1] : ' ', behind = at + length < to ? code[at + length] : ' ';
  const bool member = before == '.' || (before == '>' && at > from + 1 && code[at - 2] == '-');
  return !isalnum((unsigned char)before) && before != '_' && before != '&' && !member &&
         !isalnum((unsigned char)behind) && behind != '_' && behind != '(';
}

static bool is_written(const char *code, size_t to, size_t at)
{
  while (at < to && isspace((unsigned char)code[at]))
    at++;
  return at + 1 < to && ((code[at] == '=' && code[at + 1] != '=') || !memcmp(code + at, "++", 2) ||
                         !memcmp(code + at, "--", 2) || (strchr("+-*/%&|^", code[at]) && code[at + 1] == '='));
}

bool find_operand_text(const char *code, const struct source_statement *s, const char *name, size_t *from, size_t *to)
{
  const size_t length = strlen(name);
  for (size_t at = s->value_from; length && at + length <= s->value_to; at++) {
    if (memcmp(code + at, name, length) || !stands_alone(code, s->value_from, s->value_to, at, length) ||
        is_written(code, s->value_to, at + length))
      continue;
    *from = at;
    *to = at + length;
    return true;
  }
  return false;
}

bool find_wait_mutex(const char *code, const struct source_statement *s, size_t *from, size_t *to)
{
  static const char call[] = "pthread_cond_wait(";
  const size_t length = strlen(call);
  for (size_t at = s->from; at + length < s->to; at++) {
    if (memcmp(code + at, call, length))
      continue;
    size_t open = 1, comma = 0;
    for (at += length; at < s->to && open; at++) {
      open += is_bracket(code[at], "([{");
      open -= is_bracket(code[at], ")]}");
      comma = open == 1 && code[at] == ',' ? at : comma;
    }
    *from = comma + 1;
    *to = at - 1;
    trim(code, from, to);
    return comma && !open && *from < *to && !does_something(code, *from, *to);
  }
  return false;
}
