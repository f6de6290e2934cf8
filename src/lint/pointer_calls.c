/* SPDX-License-Identifier: Apache-2.0
 *
 * What calls through pointers, and of virtual methods, may call (whole_program.h), found out once for all of them: who
 * asks for the callers of a function asks for one after the other. A function that is given as an argument is followed
 * to where it is handed on as one.
 */
#include "lint/pointer_calls.h"
#include "lint/virtual_calls.h"
#include <stdlib.h>
#include <string.h>

#define HANDED_MOST 3 /* times that a parameter is handed on */
#define GIVEN_MOST 16 /* parameters that hand on to one */

/* The parameter of a function by its number, from 1: its symbol in the unit. */
static uint32_t parameter_symbol(const struct whole_program *p, uint32_t function, uint32_t number)
{
  const struct program_function *f = &p->function[function];
  const struct syntax *s = &p->unit[f->unit].syntax;
  const uint32_t node = syntax_child(s, f->node, number - 1);
  return node != SYNTAX_NONE && s->node[node].kind == SYNTAX_VARIABLE ? s->node[node].symbol : SYNTAX_NONE;
}

static bool stores(const struct whole_program *p, uint32_t function, uint32_t number, uint32_t member, unsigned depth);

/* Whether an argument of a call is that symbol of the unit, and the function that is called stores it. */
static bool hands_on(const struct whole_program *p, struct code_place call, uint32_t parameter, uint32_t member,
                     unsigned depth)
{
  const struct program_unit *u = &p->unit[call.unit];
  const uint32_t symbol = program_symbol_of(p, call);
  const uint32_t callee = symbol == PROGRAM_NONE ? PROGRAM_NONE : p->symbol[symbol].function;
  uint32_t number = 0;
  for (uint32_t at = call.node + 1; callee != PROGRAM_NONE && at < call.node + u->syntax.node[call.node].size;
       at += u->syntax.node[at].size, number++)
    if (number && u->syntax.node[at].kind == SYNTAX_NAME && u->syntax.node[at].symbol == parameter)
      return stores(p, callee, number, member, depth);
  return false;
}

/* Whether a function puts its parameter into the member, or one that it hands it on to. */
static bool stores(const struct whole_program *p, uint32_t function, uint32_t number, uint32_t member, unsigned depth)
{
  const struct program_function *f = &p->function[function];
  const struct program_unit *u = &p->unit[f->unit];
  const uint32_t parameter = parameter_symbol(p, function, number);
  for (uint32_t i = f->node; parameter != SYNTAX_NONE && i < f->node + u->syntax.node[f->node].size; i++) {
    const struct syntax_node *n = &u->syntax.node[i];
    const uint32_t right = n->kind == SYNTAX_ASSIGN ? syntax_child(&u->syntax, i, 1) : SYNTAX_NONE;
    if (right != SYNTAX_NONE && u->syntax.node[right].symbol == parameter &&
        u->syntax.node[i + 1].symbol != SYNTAX_NONE && u->symbol[u->syntax.node[i + 1].symbol] == member)
      return true;
    if (depth && n->kind == SYNTAX_CALL && hands_on(p, (struct code_place){f->unit, i}, parameter, member, depth - 1))
      return true;
  }
  return false;
}

/* The member that is called through; PROGRAM_NONE: it is no member. */
static uint32_t called_member(const struct whole_program *p, struct code_place call)
{
  const struct program_unit *u = &p->unit[call.unit];
  uint32_t at = call.node + 1;
  while (u->syntax.node[at].kind == SYNTAX_UNARY || u->syntax.node[at].kind == SYNTAX_INDEX)
    at++;
  const uint32_t symbol = u->syntax.node[at].kind == SYNTAX_MEMBER ? u->syntax.node[at].symbol : SYNTAX_NONE;
  return symbol == SYNTAX_NONE ? PROGRAM_NONE : u->symbol[symbol];
}

/* ---- parameters ---- */

/* A parameter of a function. */
struct parameter {
  uint32_t function; /* symbol */
  uint32_t number;   /* from 1 */
};

/* The parameters that a function which gets to a call is given for: that which is called, then those that are handed on
 * for it. */
struct given {
  struct parameter parameter[GIVEN_MOST];
  unsigned count;
};

/* The number of the parameter of a function that is meant at a node; 0: it is none. */
static uint32_t parameter_at(const struct whole_program *p, uint32_t function, struct code_place c)
{
  const struct program_unit *u = &p->unit[c.unit];
  uint32_t at = c.node;
  while (u->syntax.node[at].kind == SYNTAX_UNARY)
    at++;
  const uint32_t symbol = u->syntax.node[at].kind == SYNTAX_NAME ? u->syntax.node[at].symbol : SYNTAX_NONE;
  for (uint32_t i = 1; symbol != SYNTAX_NONE && parameter_symbol(p, function, i) != SYNTAX_NONE; i++)
    if (parameter_symbol(p, function, i) == symbol)
      return i;
  return 0;
}

static bool is_given(const struct given *g, struct parameter parameter)
{
  for (unsigned i = 0; i < g->count; i++)
    if (g->parameter[i].function == parameter.function && g->parameter[i].number == parameter.number)
      return true;
  return false;
}

/* Adds the parameters that callers hand on for one of them. */
static void add_handed(const struct whole_program *p, struct given *g, struct parameter of)
{
  size_t count;
  const struct lint_call *site = program_calls(p, of.function, &count);
  for (size_t i = 0; i < count && g->count < GIVEN_MOST; i++) {
    const struct code_place argument = code_child(p, site[i].code, of.number);
    const uint32_t number = code_is(argument) ? parameter_at(p, site[i].function, argument) : 0;
    const struct parameter handed = {p->function[site[i].function].symbol, number};
    if (number && !is_given(g, handed))
      g->parameter[g->count++] = handed;
  }
}

static struct given given_for(const struct whole_program *p, const struct lint_call *site)
{
  struct given g = {0};
  const uint32_t number = parameter_at(p, site->function, (struct code_place){site->code.unit, site->code.node + 1});
  if (number)
    g.parameter[g.count++] = (struct parameter){p->function[site->function].symbol, number};
  for (unsigned round = 0, from = 0; round < HANDED_MOST && from < g.count; round++)
    for (const unsigned to = g.count; from < to; from++)
      add_handed(p, &g, g.parameter[from]);
  return g;
}

/* Whether a function whose address is taken gets to a call: as one that is given, or, if `given` is NULL, otherwise. */
static bool gets_there(const struct whole_program *p, const struct address_taken *t, uint32_t member,
                       const struct given *given)
{
  const uint32_t to = t->given_to == PROGRAM_NONE ? PROGRAM_NONE : p->symbol[t->given_to].function;
  if (t->given_to != PROGRAM_NONE && to == PROGRAM_NONE)
    return false; /* a library has it */
  if (given)
    return is_given(given, (struct parameter){t->given_to, t->argument});
  if (member == PROGRAM_NONE)
    return t->holder == PROGRAM_NONE;
  if (t->holder != PROGRAM_NONE)
    return t->holder == member;
  return to == PROGRAM_NONE ? p->function[t->function].is_variable : stores(p, to, t->argument, member, HANDED_MOST);
}

/* ---- all of them ---- */

static int by_type(const void *left, const void *right, void *data)
{
  const struct whole_program *p = data;
  const uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
  const int order = strcmp(p->symbol[p->taken[a].symbol].type, p->symbol[p->taken[b].symbol].type);
  return order ? order : (a > b) - (a < b);
}

static const char *type_of(const struct whole_program *p, size_t i)
{
  return p->symbol[p->taken[p->taken_by_type[i]].symbol].type;
}

/* The first that has the type. */
static size_t first_of(const struct whole_program *p, const char *type)
{
  size_t low = 0, high = p->takens;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (strcmp(type_of(p, middle), type) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* The functions that a call may call; how many, TARGETS_MOST + 1 for too many. given: only those that are; NULL: any.
 */
static unsigned targets_by(const struct whole_program *p, const struct lint_call *site, const struct given *given,
                           uint32_t target[TARGETS_MOST])
{
  const char *type = p->symbol[site->callee].type;
  const uint32_t member = called_member(p, site->code);
  unsigned targets = 0;
  for (size_t i = first_of(p, type); i < p->takens && targets <= TARGETS_MOST && !strcmp(type_of(p, i), type); i++) {
    const struct address_taken *t = &p->taken[p->taken_by_type[i]];
    if ((targets && target[targets - 1] == t->symbol) || !gets_there(p, t, member, given))
      continue;
    if (targets < TARGETS_MOST)
      target[targets] = t->symbol;
    targets++;
  }
  return targets;
}

static unsigned targets_of(const struct whole_program *p, const struct lint_call *site, uint32_t target[TARGETS_MOST])
{
  if (p->symbol[site->callee].flags & SYMBOL_FUNCTION)
    return virtual_targets(p, site->callee, target);
  const struct given given = given_for(p, site);
  const unsigned targets = given.count ? targets_by(p, site, &given, target) : 0;
  return targets ? targets : targets_by(p, site, NULL, target);
}

static uint32_t next_overrider(const struct whole_program *p, uint32_t method, size_t *from)
{
  size_t count;
  const struct method_override *o = program_overriders(p, method, &count);
  return *from < count ? o[(*from)++].method : PROGRAM_NONE;
}

uint32_t program_member_target(const struct whole_program *p, struct code_place call, size_t *from)
{
  const uint32_t callee = program_symbol_of(p, call), member = called_member(p, call);
  if (callee != PROGRAM_NONE && program_node(p, call)->op == OPERATOR_VIRTUAL)
    return next_overrider(p, callee, from);
  if (callee == PROGRAM_NONE || member == PROGRAM_NONE || p->symbol[callee].flags & SYMBOL_FUNCTION)
    return PROGRAM_NONE;
  const char *type = p->symbol[callee].type;
  for (size_t i = *from ? *from : first_of(p, type); i < p->takens && !strcmp(type_of(p, i), type); i++) {
    const struct address_taken *t = &p->taken[p->taken_by_type[i]];
    *from = i + 1;
    if (gets_there(p, t, member, NULL))
      return t->symbol;
  }
  return PROGRAM_NONE;
}

static bool list_by_type(struct whole_program *p)
{
  p->taken_by_type = malloc((p->takens + 1) * sizeof *p->taken_by_type);
  if (!p->taken_by_type)
    return false;
  for (size_t i = 0; i < p->takens; i++)
    p->taken_by_type[i] = (uint32_t)i;
  if (p->takens)
    qsort_r(p->taken_by_type, p->takens, sizeof *p->taken_by_type, by_type, p);
  return true;
}

bool pointer_calls_list(struct whole_program *p)
{
  size_t sites = 0;
  for (size_t i = 0; i < p->calls; i++)
    sites += p->call[i].may;
  p->pointer_call = malloc((sites * TARGETS_MOST + 1) * sizeof *p->pointer_call);
  if (!p->pointer_call || !list_by_type(p))
    return false;
  for (size_t i = 0; i < p->calls; i++) {
    uint32_t target[TARGETS_MOST];
    const unsigned targets = p->call[i].may ? targets_of(p, &p->call[i], target) : 0;
    for (unsigned k = 0; targets <= TARGETS_MOST && k < targets; k++) {
      p->pointer_call[p->pointer_calls] = p->call[i];
      p->pointer_call[p->pointer_calls++].callee = target[k];
    }
  }
  if (p->pointer_calls)
    qsort(p->pointer_call, p->pointer_calls, sizeof *p->pointer_call, by_callee);
  return true;
}
