/* SPDX-License-Identifier: Apache-2.0
 *
 * Compiling properties; see property_compile.h. Where an event happens is brought into the form "this and this and
 * this, or that and that": each alternative becomes a rule for each function that it fits.
 */
#include "language/property_compile.h"
#include "core/known_as.h"
#include "core/property_code.h"
#include "language/monitor_draft.h"
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ALTERNATIVES 64
#define LITERALS 32

/* ---- monitors ---- */

static uint32_t add_name(struct property_set *set, const char *name)
{
  uint32_t at = set->name_bytes ? set->name_bytes : 1, length = (uint32_t)strlen(name) + 1;
  if (at + length > PROPERTY_NAMES)
    return 0;
  memcpy(&set->name[at], name, length);
  set->name_bytes = at + length;
  return at;
}

/* Into the set; false when it is full. */
static bool add_table(const struct spec *s, const struct monitor_draft *d, struct property_set *set,
                      struct property_monitor *m)
{
  uint32_t edges = d->states * d->letters;
  if (set->edges + edges > PROPERTY_EDGES || set->states + d->states > PROPERTY_STATES)
    return false;
  *m = (struct property_monitor){.kind = MONITOR_TABLE,
                                 .states = d->states,
                                 .letters = d->letters,
                                 .next = set->edges,
                                 .category = set->states,
                                 .state_name = set->states};
  memcpy(&set->edge[set->edges], d->edge, edges * sizeof *d->edge);
  memcpy(&set->category[set->states], d->category, d->states * sizeof *d->category);
  for (uint32_t q = 0; s->formalism == FORMALISM_FSM && q < s->states; q++)
    set->state_name[set->states + q] = add_name(set, s->state[q]);
  set->edges += edges;
  set->states += d->states;
  return true;
}

static bool compile_table(const struct spec *s, struct property_set *set, struct property_monitor *m, char *error,
                          size_t size)
{
  static bool (*const makers[FORMALISM_COUNT])(struct monitor_draft *,
                                               const struct spec *) = {[FORMALISM_FSM] = draft_from_states,
                                                                       [FORMALISM_ERE] = draft_from_expression,
                                                                       [FORMALISM_LTL] = draft_from_future,
                                                                       [FORMALISM_PTLTL] = draft_from_past};
  struct monitor_draft d;
  draft_begin(&d, s->events);
  bool made = makers[s->formalism](&d, s);
  if (!made)
    snprintf(error, size, "the property is too large: its monitor would have too many states");
  else if (!(made = add_table(s, &d, set, m)))
    snprintf(error, size, "the properties are too large: their monitors have too many states");
  draft_free(&d);
  return made;
}

bool property_compile_monitor(const struct spec *s, struct property_set *set, struct property_monitor *m, char *error,
                              size_t size)
{
  if (s->formalism != FORMALISM_CFG && s->formalism != FORMALISM_SRS)
    return compile_table(s, set, m, error, size);
  bool grammar = s->formalism == FORMALISM_CFG, empty = false;
  uint16_t *symbols = &set->symbol[set->symbols];
  uint32_t most = PROPERTY_SYMBOLS - set->symbols;
  uint32_t count = grammar ? symbols_from_grammar(s, symbols, most, &empty) : symbols_from_rules(s, symbols, most);
  if (!count) {
    snprintf(error, size, empty ? "the grammar derives no word" : "the grammars and rules are too large");
    return false;
  }
  *m = (struct property_monitor){
      .kind = grammar ? MONITOR_GRAMMAR : MONITOR_REWRITING, .letters = s->events, .next = set->symbols};
  set->symbols += count;
  return true;
}

/* ---- where events happen ---- */

struct alternative {
  unsigned count;
  struct {
    const struct point *point;
    bool negated;
  } literal[LITERALS];
};

struct alternatives {
  unsigned count;
  struct alternative list[ALTERNATIVES];
};

struct compiler {
  struct tokens *t;
  const struct spec *s;
  const char *const *functions;
  uint32_t function_count;
  struct property_set *set;
};

/* a || b: both lists; a && b: each of a with each of b. */
static void combine(struct compiler *c, const struct point *p, bool both, struct alternatives *a,
                    const struct alternatives *b)
{
  struct alternatives *result = calloc(1, sizeof *result);
  bool room = result;
  for (unsigned i = 0; room && i < a->count; i++)
    for (unsigned k = 0; room && k < (both ? b->count : 1); k++) {
      struct alternative *x = &result->list[result->count];
      room = result->count < ALTERNATIVES && (!both || a->list[i].count + b->list[k].count <= LITERALS);
      if (!room)
        break;
      *x = a->list[i];
      for (unsigned j = 0; both && j < b->list[k].count; j++)
        x->literal[x->count++] = b->list[k].literal[j];
      result->count++;
    }
  for (unsigned i = 0; room && !both && i < b->count; i++)
    if ((room = result->count < ALTERNATIVES))
      result->list[result->count++] = b->list[i];
  if (room)
    *a = *result;
  else
    tokens_fail(c->t, &p->at, "there are too many alternatives here");
  free(result);
}

static void expand(struct compiler *c, uint32_t point, bool negated, struct alternatives *out)
{
  const struct point *p = &c->s->point[point - 1];
  if (p->kind == POINT_NOT) {
    expand(c, p->left, !negated, out);
  } else if (p->kind == POINT_AND || p->kind == POINT_OR) {
    struct alternatives *right = calloc(1, sizeof *right);
    if (!right)
      return;
    expand(c, p->left, negated, out);
    expand(c, p->right, negated, right);
    if (!tokens_failed(c->t))
      combine(c, p, (p->kind == POINT_AND) != negated, out, right);
    free(right);
  } else {
    out->count = 1;
    out->list[0] = (struct alternative){.count = 1, .literal[0] = {p, negated}};
  }
}

static bool is_source(enum point_kind kind)
{
  return kind <= POINT_UNLOCK && kind >= POINT_CALL;
}

/* The one thing that happens there, apart from patterns that a function must fit, too. NULL with an error. */
static const struct point *source_of(struct compiler *c, const struct alternative *a, const struct spec_event *event)
{
  const struct point *found = NULL;
  for (unsigned i = 0; i < a->count; i++) {
    const struct point *p = a->literal[i].point;
    if (a->literal[i].negated && p->kind != POINT_CALL && p->kind != POINT_CONDITION && p->kind != POINT_THREAD) {
      tokens_fail(c->t, &p->at, "only call(), condition() and threadName() can be negated");
      return NULL;
    }
    if (a->literal[i].negated || !is_source(p->kind))
      continue;
    if (found && (found->kind != POINT_CALL || p->kind != POINT_CALL)) {
      tokens_fail(c->t, &p->at, "no event is two of call(), mark(), access() and the like at once");
      return NULL;
    }
    found = p;
  }
  if (!found)
    tokens_fail(c->t, &event->at,
                "event \"%s\" does not say what happens: call(), mark(), access(), lock(), threadStart() and the like",
                event->name);
  return found;
}

static bool fits(const struct alternative *a, const char *function)
{
  for (unsigned i = 0; i < a->count; i++)
    if (a->literal[i].point->kind == POINT_CALL &&
        (fnmatch(a->literal[i].point->text, known_as(function), 0) == 0) == a->literal[i].negated)
      return false;
  return true;
}

/* ---- values ---- */

/* Values of an event in the order of a rule: first those that go to the monitor. */
struct value_order {
  unsigned values, carried;
  uint8_t position[SPEC_VALUES]; /* of a value of the event */
};

static bool code_uses(const struct spec *s, uint32_t code, uint32_t value)
{
  for (const int64_t *word = &s->code[code]; code && *word != CODE_END; word++) {
    if (*word == CODE_VALUE && word[1] == (int64_t)value)
      return true;
    word += *word >= CODE_NUMBER && *word <= CODE_SKIP;
  }
  return false;
}

/* Whether the monitor itself must know the value: it is a parameter, or is looked at together with variables. */
static bool is_carried(const struct compiler *c, const struct spec_event *event, const struct alternative *a,
                       uint32_t value)
{
  for (uint32_t p = 0; p < c->s->parameters; p++)
    if (!strcmp(c->s->parameter[p].name, event->value[value].name))
      return true;
  for (unsigned i = 0; i < a->count; i++) {
    const struct point *p = a->literal[i].point;
    if ((p->uses_variables || p->kind == POINT_BLOCKED) && code_uses(c->s, p->code, value))
      return true;
  }
  return code_uses(c->s, event->body, value);
}

static uint8_t source_of_value(struct compiler *c, const struct spec_event *event, const struct alternative *a,
                               uint32_t value)
{
  if (event->returned[value])
    return VALUE_RESULT;
  if (event->own_thread[value])
    return VALUE_THREAD;
  for (unsigned i = 0; i < a->count; i++)
    if (a->literal[i].point->kind == POINT_BIND && a->literal[i].point->value == value)
      return a->literal[i].point->source;
  tokens_fail(c->t, &event->at,
              "event \"%s\" does not say where its value \"%s\" comes from: target(), arg(), thread() or signal()",
              event->name, event->value[value].name);
  return VALUE_NONE;
}

static uint8_t parameter_of(const struct spec *s, const struct spec_value *value)
{
  for (uint32_t p = 0; p < s->parameters; p++)
    if (!strcmp(s->parameter[p].name, value->name))
      return (uint8_t)p;
  return PROPERTY_PARAMETERS;
}

static struct value_order order_values(struct compiler *c, const struct spec_event *event, const struct alternative *a,
                                       struct property_rule *rule)
{
  struct value_order o = {0};
  for (int carried = 1; carried >= 0; carried--)
    for (uint32_t v = 0; v < event->values; v++) {
      if (is_carried(c, event, a, v) != carried)
        continue;
      const struct spec_value *value = &event->value[v];
      rule->value[o.values] = (struct property_value){.source = source_of_value(c, event, a, v),
                                                      .width = value->width,
                                                      .is_signed = value->is_signed,
                                                      .parameter = parameter_of(c->s, value)};
      o.position[v] = (uint8_t)o.values++;
      o.carried += (unsigned)carried;
    }
  if (o.carried > PROPERTY_VALUES)
    tokens_fail(c->t, &event->at, "event \"%s\" has more than %d values that the monitor must know", event->name,
                PROPERTY_VALUES);
  rule->values = (uint8_t)o.values;
  rule->carried = (uint8_t)o.carried;
  return o;
}

/* ---- code ---- */

static void emit(struct compiler *c, int64_t word)
{
  if (c->set->codes == PROPERTY_CODE)
    tokens_fail(c->t, &c->s->at, "the conditions and bodies of all properties together are too long");
  else
    c->set->code[c->set->codes++] = word;
}

/* With values as the rule numbers them, without the end. */
static void copy_code(struct compiler *c, uint32_t code, const struct value_order *o)
{
  for (const int64_t *word = &c->s->code[code]; *word != CODE_END; word++) {
    bool takes_number = *word >= CODE_NUMBER && *word <= CODE_SKIP;
    emit(c, *word);
    if (takes_number) {
      emit(c, *word == CODE_VALUE ? o->position[word[1]] : word[1]);
      word++;
    }
  }
}

/* All conditions of an alternative that do, or do not, depend on variables, as one. 0 if there are none. */
static uint32_t copy_conditions(struct compiler *c, const struct alternative *a, const struct value_order *o,
                                bool variables)
{
  uint32_t begin = c->set->codes, count = 0;
  for (unsigned i = 0; i < a->count; i++) {
    const struct point *p = a->literal[i].point;
    if (p->kind != POINT_CONDITION || p->uses_variables != variables)
      continue;
    copy_code(c, p->code, o);
    if (a->literal[i].negated)
      emit(c, CODE_NOT);
    if (count++)
      emit(c, CODE_AND);
  }
  if (!count)
    return 0;
  emit(c, CODE_END);
  return begin;
}

/* ---- rules ---- */

static void copy_wait(struct compiler *c, const struct alternative *a, const struct value_order *o,
                      struct property_rule *rule)
{
  for (unsigned i = 0; i < a->count; i++) {
    const struct point *p = a->literal[i].point;
    if (p->kind != POINT_BLOCKED)
      continue;
    if (rule->waits)
      tokens_fail(c->t, &p->at, "an event can wait for one thread to be blocked, not for two");
    rule->waits = true;
    memcpy(rule->blocked, p->text, sizeof rule->blocked);
    if (!p->code)
      continue;
    rule->blocked_code = c->set->codes;
    copy_code(c, p->code, o);
    emit(c, CODE_END);
  }
}

static void copy_threads(struct compiler *c, const struct alternative *a, struct property_rule *rule)
{
  for (unsigned i = 0; i < a->count; i++) {
    const struct point *p = a->literal[i].point;
    if (p->kind != POINT_THREAD)
      continue;
    if (rule->threads == RULE_THREADS) {
      tokens_fail(c->t, &p->at, "an event can ask for %d names of its thread at most", RULE_THREADS);
      return;
    }
    rule->not_in |= (uint8_t)(a->literal[i].negated << rule->threads);
    memcpy(rule->thread[rule->threads++], p->text, sizeof rule->thread[0]);
  }
}

static void add_rule(struct compiler *c, const struct property_rule *rule)
{
  if (c->set->rules == PROPERTY_RULES)
    tokens_fail(c->t, &c->s->at, "the events of all properties together fit too many functions");
  else
    c->set->rule[c->set->rules++] = *rule;
}

/* How many rules it became. */
static uint32_t compile_alternative(struct compiler *c, uint32_t number, const struct alternative *a)
{
  static const uint8_t sources[] = {
      [POINT_CALL] = EVENT_OF_CALL,    [POINT_MARK] = EVENT_OF_MARK,     [POINT_START] = EVENT_OF_START,
      [POINT_END] = EVENT_OF_END,      [POINT_ACCESS] = EVENT_OF_ACCESS, [POINT_LOCK] = EVENT_OF_LOCK,
      [POINT_UNLOCK] = EVENT_OF_UNLOCK};
  const struct spec_event *event = &c->s->event[number];
  const struct point *source = source_of(c, a, event);
  uint32_t before = c->set->rules;
  if (!source)
    return 0;
  struct property_rule rule = {.property = (uint16_t)c->set->properties,
                               .event = (uint16_t)number,
                               .source = sources[source->kind],
                               .after = event->after};
  struct value_order o = order_values(c, event, a, &rule);
  copy_threads(c, a, &rule);
  for (unsigned i = 0; i < rule.values; i++)
    if (source->kind != POINT_CALL && rule.value[i].source != VALUE_THREAD && rule.value[i].source != VALUE_SIGNAL)
      tokens_fail(c->t, &event->at, "event \"%s\" has values of a call, but is none", event->name);
  if (tokens_failed(c->t))
    return 0;
  rule.asks = copy_conditions(c, a, &o, false);
  rule.condition = copy_conditions(c, a, &o, true);
  copy_wait(c, a, &o, &rule);
  if (event->body) {
    rule.body = c->set->codes;
    copy_code(c, event->body, &o);
    emit(c, CODE_END);
  }
  if (source->kind != POINT_CALL)
    memcpy(rule.mark, source->text, sizeof rule.mark);
  rule.accesses = source->accesses;
  rule.line = source->at.line;
  rule.column = source->at.column;
  if (source->kind != POINT_CALL)
    add_rule(c, &rule);
  for (uint32_t f = 0; source->kind == POINT_CALL && f < c->function_count; f++)
    if (fits(a, c->functions[f])) {
      rule.function = (uint16_t)(f + 1);
      add_rule(c, &rule);
    }
  return c->set->rules - before;
}

/* The first function that is called in a tree of points; "" for none. */
static const char *pattern_in(const struct compiler *c, uint32_t tree)
{
  const struct point *p = tree ? &c->s->point[tree - 1] : NULL;
  if (!p || p->kind == POINT_CALL)
    return p ? p->text : "";
  const char *left = pattern_in(c, p->left);
  return *left ? left : pattern_in(c, p->right);
}

static void compile_event(struct compiler *c, uint32_t number, bool must_be_there)
{
  const struct spec_event *event = &c->s->event[number];
  struct alternatives *a = calloc(1, sizeof *a);
  uint32_t rules = 0;
  if (!a)
    return;
  expand(c, event->points, false, a);
  for (unsigned i = 0; i < a->count && !tokens_failed(c->t); i++)
    rules += compile_alternative(c, number, &a->list[i]);
  if (!rules && must_be_there)
    tokens_fail(c->t, &event->at,
                "the program has no function \"%s\" for event \"%s\"; is it spelt so, and was it inlined?",
                pattern_in(c, event->points), event->name);
  free(a);
}

/* Into the names of the set; 0 for an empty one. */
static uint32_t add_text(struct compiler *c, const char *text, size_t length)
{
  uint32_t at = c->set->name_bytes ? c->set->name_bytes : 1;
  if (!length)
    return 0;
  if (at + length + 1 > PROPERTY_NAMES) {
    tokens_fail(c->t, &c->s->at, "the handlers of all properties together are too long");
    return 0;
  }
  memcpy(&c->set->name[at], text, length);
  c->set->name[at + length] = 0;
  c->set->name_bytes = at + (uint32_t)length + 1;
  return at;
}

static void compile_handlers(struct compiler *c, struct property *p)
{
  for (unsigned what = 0; what < HANDLED; what++) {
    p->calls[what] = add_text(c, c->s->calls[what], strlen(c->s->calls[what]));
    p->script[what] = add_text(c, c->s->script[what].text, c->s->script[what].length);
  }
}

static void compile_spec(struct compiler *c, bool must_be_there)
{
  char error[160];
  const struct spec *s = c->s;
  struct property *p = &c->set->property[c->set->properties];
  if (c->set->properties == PROPERTIES) {
    tokens_fail(c->t, &s->at, "there are more than %d properties", PROPERTIES);
    return;
  }
  *p = (struct property){.line = s->at.line,
                         .parameters = s->parameters,
                         .variables = s->variables,
                         .events = s->events,
                         .enforced = s->enforced,
                         .reach = s->reach,
                         .leave = s->leave};
  memcpy(p->name, s->name, sizeof p->name);
  memcpy(p->initial, s->initial, sizeof p->initial);
  memcpy(p->message, s->message, sizeof p->message);
  memcpy(p->deadlock, s->deadlock, sizeof p->deadlock);
  memcpy(p->category, s->category, sizeof p->category);
  for (uint32_t i = 0; i < s->parameters; i++) {
    memcpy(p->parameter[i], s->parameter[i].name, sizeof p->parameter[i]);
    p->pointers |= (uint32_t)s->parameter[i].is_pointer << i;
  }
  for (uint32_t i = 0; i < s->events; i++) {
    memcpy(p->event[i].name, s->event[i].name, sizeof p->event[i].name);
    p->event[i].creation = s->event[i].creation;
    p->event[i].destroys = s->event[i].destroys;
  }
  compile_handlers(c, p);
  if (!property_compile_monitor(s, c->set, &p->monitor, error, sizeof error))
    tokens_fail(c->t, &s->at, "%s", error);
  for (uint32_t i = 0; i < s->events && !tokens_failed(c->t); i++)
    compile_event(c, i, must_be_there);
  c->set->properties++;
}

bool property_compile(const char *text, const char *const *functions, uint32_t count, bool must_be_there,
                      struct property_set *set, struct language_error *error)
{
  struct tokens t;
  struct spec *s = calloc(1, sizeof *s);
  struct compiler c = {.t = &t, .s = s, .functions = functions, .function_count = count, .set = set};
  tokens_begin(&t, text, COMMENTS_LIKE_C);
  if (!set->codes)
    set->codes = 1;
  if (!s)
    tokens_fail(&t, &t.next, "no memory left");
  while (s && spec_read(&t, s))
    compile_spec(&c, must_be_there);
  free(s);
  *error = t.error;
  return !tokens_failed(&t);
}

bool property_patterns(const char *text, property_pattern *each, void *context, struct language_error *error)
{
  struct tokens t;
  struct spec *s = calloc(1, sizeof *s);
  tokens_begin(&t, text, COMMENTS_LIKE_C);
  if (!s)
    tokens_fail(&t, &t.next, "no memory left");
  while (s && spec_read(&t, s))
    for (uint32_t e = 0; e < s->events; e++) {
      uint32_t from = e ? s->event[e - 1].points : 0; /* a tree's root is the last of it */
      for (uint32_t p = from; p < s->event[e].points; p++)
        if (s->point[p].kind == POINT_CALL)
          each(context, s->point[p].text, s->event[e].after);
    }
  free(s);
  *error = t.error;
  return !tokens_failed(&t);
}
