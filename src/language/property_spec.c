/* SPDX-License-Identifier: Apache-2.0
 *
 * Reading specifications: header, variables, events with their points, handlers; see property_spec.h. The property and
 * what is C have files of their own.
 */
#include "language/property_spec.h"
#include <stdio.h>
#include <string.h>

#define DEPTH_MOST 200

static const char *const formalisms[FORMALISM_COUNT] = {
#define X(id, name) [FORMALISM_##id] = name,
    SPEC_FORMALISMS(X)
#undef X
};

bool spec_enter(struct tokens *t, struct spec *s)
{
  if (++s->depth > DEPTH_MOST)
    tokens_fail(t, &t->next, "this is nested too deeply");
  return !tokens_failed(t);
}

void spec_leave(struct spec *s)
{
  s->depth--;
}

/* "a, b" */
static const char *list_events(const struct spec *s, char *out, size_t size)
{
  size_t n = 0;
  out[0] = 0;
  for (uint32_t i = 0; i < s->events && n < size; i++)
    n += (size_t)snprintf(out + n, size - n, "%s%s", i ? ", " : "", s->event[i].name);
  return out;
}

uint32_t spec_event_number(struct tokens *t, const struct spec *s, const struct token *name)
{
  char text[PROPERTY_NAME], all[128];
  for (uint32_t i = 0; i < s->events; i++)
    if (token_is(name, s->event[i].name))
      return i;
  tokens_fail(t, name, "there is no event \"%s\"; there are: %s", token_copy(name, text, sizeof text),
              list_events(s, all, sizeof all));
  return PROPERTY_EVENTS;
}

/* False, with an error, if it does not fit. */
static bool copy_name(struct tokens *t, const struct token *name, char text[PROPERTY_NAME])
{
  token_copy(name, text, PROPERTY_NAME);
  if (name->length >= PROPERTY_NAME)
    tokens_fail(t, name, "names have at most %d characters", PROPERTY_NAME - 1);
  return !tokens_failed(t);
}

/* ---- values and their types ---- */

static void apply_type(const struct token *word, struct spec_value *value)
{
  static const struct {
    const char *word;
    uint8_t width;
    bool is_signed;
  } widths[] = {{"char", 1, true},    {"bool", 1, false},     {"_Bool", 1, false},  {"short", 2, true},
                {"int", 4, true},     {"unsigned", 4, false}, {"float", 0, false},  {"double", 0, false},
                {"int8_t", 1, true},  {"uint8_t", 1, false},  {"int16_t", 2, true}, {"uint16_t", 2, false},
                {"int32_t", 4, true}, {"uint32_t", 4, false}, {"mode_t", 4, false}, {"pid_t", 4, true}};
  for (size_t i = 0; i < sizeof widths / sizeof *widths; i++)
    if (token_is(word, widths[i].word)) {
      bool narrower = value->width == 8 || !widths[i].width || widths[i].width < value->width;
      value->width = narrower ? widths[i].width : value->width;
      value->is_signed &= widths[i].is_signed;
    }
}

/* `struct list *l`: the last word is the name. Types that are not known have the size of a pointer. */
static bool read_value(struct tokens *t, struct spec_value *value)
{
  struct token last = {0};
  bool is_long = false;
  unsigned words = 0;
  *value = (struct spec_value){.width = 8, .is_signed = true};
  for (; !tokens_failed(t) && !tokens_next_is(t, ",") && !tokens_next_is(t, ")"); words++) {
    if (t->next.kind != TOKEN_NAME && !tokens_next_is(t, "*")) {
      tokens_unexpected(t, "a type and a name");
      return false;
    }
    if (last.kind == TOKEN_NAME)
      apply_type(&last, value);
    last = tokens_take(t);
    is_long |= token_is(&last, "long");
    value->is_pointer |= token_is(&last, "*");
  }
  if (words < 2 || last.kind != TOKEN_NAME)
    tokens_unexpected(t, "a type and a name");
  if (value->is_pointer || is_long)
    value->width = 8;
  else if (!value->width)
    tokens_fail(t, &last, "values cannot be of type float or double");
  return copy_name(t, &last, value->name);
}

static const struct spec_value *value_named(const struct spec_value *list, uint32_t count, const struct token *name)
{
  for (uint32_t i = 0; i < count; i++)
    if (token_is(name, list[i].name))
      return &list[i];
  return NULL;
}

/* One more behind those that are there. */
static void read_another(struct tokens *t, struct spec_value *list, uint32_t *count, uint32_t most, const char *what)
{
  struct token at = t->next;
  struct spec_value value;
  if (!read_value(t, &value))
    return;
  for (uint32_t i = 0; i < *count; i++)
    if (!strcmp(list[i].name, value.name))
      tokens_fail(t, &at, "\"%s\" is there twice", value.name);
  if (*count == most)
    tokens_fail(t, &at, "there are more than %u %s", most, what);
  if (!tokens_failed(t))
    list[(*count)++] = value;
}

static void read_values(struct tokens *t, struct spec_value *list, uint32_t *count, uint32_t most, const char *what)
{
  tokens_expect(t, "(");
  if (tokens_accept(t, ")"))
    return;
  do
    read_another(t, list, count, most, what);
  while (tokens_accept(t, ","));
  tokens_expect(t, ")");
}

/* ---- points ---- */

static uint32_t add_point(struct tokens *t, struct spec *s, struct point point)
{
  if (s->points == SPEC_POINTS) {
    tokens_fail(t, &point.at, "the events of this property are too many or too long");
    return 1;
  }
  s->point[s->points++] = point;
  return s->points;
}

/* list_add*(..) or list_add*(list_t *, int): what is between the brackets is for the reader. */
static void read_pattern(struct tokens *t, struct point *point)
{
  struct token raw = tokens_raw(t, '(');
  if (!raw.length || raw.length >= SPEC_PATTERN || memchr(raw.text, ' ', raw.length) ||
      memchr(raw.text, ')', raw.length))
    tokens_fail(t, &raw, "expected the name of a function, perhaps with \"*\" in it, and \"(..)\"");
  token_copy(&raw, point->text, sizeof point->text);
  unsigned open = 0;
  tokens_expect(t, "(");
  while (!tokens_failed(t) && (open || !tokens_next_is(t, ")"))) {
    if (t->next.kind == TOKEN_END)
      tokens_unexpected(t, "\")\"");
    open += tokens_next_is(t, "(");
    open -= tokens_next_is(t, ")");
    tokens_take(t);
  }
  tokens_expect(t, ")");
}

static void read_binding(struct tokens *t, const struct spec_event *event, struct point *point)
{
  char text[PROPERTY_NAME];
  struct token name = tokens_name(t, "a value of the event");
  const struct spec_value *value = value_named(event->value, event->values, &name);
  if (!value)
    tokens_fail(t, &name, "\"%s\" is no value of this event", token_copy(&name, text, sizeof text));
  else if (event->returned[value - event->value])
    tokens_fail(t, &name, "\"%s\" is what the function returns", value->name);
  else
    point->value = (uint8_t)(value - event->value);
}

static void read_argument(struct tokens *t, const struct spec_event *event, struct point *point)
{
  struct token at = t->next;
  int64_t number = 0;
  if (spec_read_number(t, &number) && (number < 1 || number > 6))
    tokens_fail(t, &at, "arguments are numbered from 1 to 6");
  point->source = (uint8_t)(VALUE_ARGUMENT + number - 1);
  tokens_expect(t, ",");
  read_binding(t, event, point);
}

static void read_text(struct tokens *t, struct point *point, const char *what, size_t most)
{
  if (t->next.kind != TOKEN_STRING)
    tokens_unexpected(t, what);
  struct token text = tokens_take(t);
  if (text.length >= most || !text.length)
    tokens_fail(t, &text, "%s has 1 to %zu characters", what, most - 1);
  token_copy(&text, point->text, sizeof point->text);
}

/* counter, or queue.head: a variable of the program. */
static void read_variable_name(struct tokens *t, const struct spec_event *event, struct point *point)
{
  struct token at = t->next;
  size_t length = 0;
  do {
    struct token part = tokens_name(t, "the name of a variable");
    if (tokens_failed(t))
      return;
    if (length + part.length + 2 > PROPERTY_NAME) {
      tokens_fail(t, &at, "names have at most %d characters", PROPERTY_NAME - 1);
      return;
    }
    length += (size_t)snprintf(point->text + length, sizeof point->text - length, "%s%.*s", length ? "." : "",
                               (int)part.length, part.text);
  } while (tokens_accept(t, "."));
  point->at = at;
  if (point->kind == POINT_ACCESS && event->after)
    tokens_fail(t, &at, "an access of a variable is an event before it happens; the event must be \"before\"");
}

static bool read_place(struct tokens *t, const struct spec_event *event, const struct token *word, struct point *point)
{
  static const struct {
    const char *word;
    enum point_kind kind;
    uint8_t accesses;
  } places[] = {{"access", POINT_ACCESS, ACCESS_READS | ACCESS_WRITES},
                {"read", POINT_ACCESS, ACCESS_READS},
                {"write", POINT_ACCESS, ACCESS_WRITES},
                {"lock", POINT_LOCK, 0},
                {"unlock", POINT_UNLOCK, 0}};
  for (size_t i = 0; i < sizeof places / sizeof *places; i++)
    if (token_is(word, places[i].word)) {
      point->kind = places[i].kind;
      point->accesses = places[i].accesses;
      read_variable_name(t, event, point);
      return true;
    }
  return false;
}

/* call(..), target(l) and the like: what is in the brackets of the word. */
static void read_point_of(struct tokens *t, struct spec *s, const struct spec_event *event, const struct token *word,
                          struct point *point)
{
  char text[PROPERTY_NAME];
  if (token_is(word, "call")) {
    point->kind = POINT_CALL;
    read_pattern(t, point);
  } else if (token_is(word, "target")) {
    read_binding(t, event, point);
  } else if (token_is(word, "arg")) {
    read_argument(t, event, point);
  } else if (token_is(word, "thread") || token_is(word, "signal")) {
    point->source = token_is(word, "thread") ? VALUE_THREAD : VALUE_SIGNAL;
    read_binding(t, event, point);
  } else if (token_is(word, "condition")) {
    point->kind = POINT_CONDITION;
    point->code = spec_read_condition(t, s, event, &point->uses_variables);
  } else if (token_is(word, "threadName")) {
    point->kind = POINT_THREAD;
    read_text(t, point, "the name of a thread", 16);
  } else if (token_is(word, "mark")) {
    point->kind = POINT_MARK;
    read_text(t, point, "the name of a mark", PROPERTY_NAME);
  } else if (token_is(word, "threadStart") || token_is(word, "threadEnd")) {
    point->kind = token_is(word, "threadStart") ? POINT_START : POINT_END;
  } else if (token_is(word, "threadBlocked")) {
    if (!s->enforced)
      tokens_fail(t, word, "threadBlocked() holds a thread back; write \"enforce\" before the property");
    point->kind = POINT_BLOCKED;
    if (t->next.kind == TOKEN_STRING)
      read_text(t, point, "the name of a thread", 16);
    else
      point->code = spec_read_condition(t, s, event, &point->uses_variables);
  } else if (!read_place(t, event, word, point)) {
    tokens_fail(t, word,
                "\"%s\" is not known; events are told by call, mark, access, read, write, lock, unlock, threadStart, "
                "threadEnd, target, arg, thread, signal, condition, threadName and threadBlocked",
                token_copy(word, text, sizeof text));
  }
}

static uint32_t read_points(struct tokens *t, struct spec *s, const struct spec_event *event);

static uint32_t read_point(struct tokens *t, struct spec *s, const struct spec_event *event)
{
  struct point point = {.kind = POINT_BIND, .at = t->next};
  if (!spec_enter(t, s))
    return 1;
  if (tokens_accept(t, "!")) {
    point.kind = POINT_NOT;
    point.left = read_point(t, s, event);
  } else if (tokens_accept(t, "(")) {
    uint32_t inner = read_points(t, s, event);
    tokens_expect(t, ")");
    spec_leave(s);
    return inner;
  } else {
    struct token word = tokens_name(t, "where the event happens, as in call(f(..))");
    tokens_expect(t, "(");
    if (!tokens_failed(t))
      read_point_of(t, s, event, &word, &point);
    tokens_expect(t, ")");
  }
  spec_leave(s);
  return add_point(t, s, point);
}

static uint32_t read_both(struct tokens *t, struct spec *s, const struct spec_event *event)
{
  uint32_t left = read_point(t, s, event);
  while (tokens_next_is(t, "&&")) {
    struct point both = {.kind = POINT_AND, .left = left, .at = tokens_take(t)};
    both.right = read_point(t, s, event);
    left = add_point(t, s, both);
  }
  return left;
}

static uint32_t read_points(struct tokens *t, struct spec *s, const struct spec_event *event)
{
  uint32_t left = read_both(t, s, event);
  while (tokens_next_is(t, "||")) {
    struct point either = {.kind = POINT_OR, .left = left, .at = tokens_take(t)};
    either.right = read_both(t, s, event);
    left = add_point(t, s, either);
  }
  return left;
}

/* ---- events ---- */

static bool is_reserved(const struct token *name)
{
  static const char *const words[] = {"o", "U", "R", "S", "and", "or", "not", "true", "false", "epsilon", "alias"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (token_is(name, words[i]))
      return true;
  return false;
}

static void read_event_name(struct tokens *t, const struct spec *s, struct spec_event *event)
{
  event->at = tokens_name(t, "the name of the event");
  if (tokens_failed(t) || !copy_name(t, &event->at, event->name))
    return;
  for (uint32_t i = 0; i < s->events; i++)
    if (!strcmp(s->event[i].name, event->name))
      tokens_fail(t, &event->at, "there are two events \"%s\"", event->name);
  if (is_reserved(&event->at))
    tokens_fail(t, &event->at, "\"%s\" is a word of the formalisms, so no event can be called so", event->name);
  if (s->events == PROPERTY_EVENTS)
    tokens_fail(t, &event->at, "there are more than %d events", PROPERTY_EVENTS);
}

static void read_event(struct tokens *t, struct spec *s)
{
  struct spec_event *event = &s->event[s->events < PROPERTY_EVENTS ? s->events : 0], read = {0};
  read.creation = tokens_accept(t, "creation");
  read.destroys = !read.creation && tokens_accept(t, "destroy");
  tokens_expect(t, "event");
  read_event_name(t, s, &read);
  read.after = tokens_next_is(t, "after");
  if (!tokens_accept(t, "before") && !tokens_accept(t, "after"))
    tokens_unexpected(t, "\"before\" or \"after\"");
  read_values(t, read.value, &read.values, SPEC_VALUES, "values");
  if (tokens_next_is(t, "returning")) {
    struct token at = tokens_take(t);
    if (!read.after)
      tokens_fail(t, &at, "what a function returns is not known before its call; the event must be \"after\"");
    tokens_expect(t, "(");
    read_another(t, read.value, &read.values, SPEC_VALUES, "values");
    if (read.values)
      read.returned[read.values - 1] = true;
    tokens_expect(t, ")");
  }
  tokens_expect(t, ":");
  read.points = read_points(t, s, &read);
  read.body = spec_read_body(t, s, &read);
  if (tokens_failed(t))
    return;
  *event = read;
  s->events++;
}

/* ---- variables ---- */

/* [32] = "": the name of a thread, which is kept as its number. */
static void read_name_variable(struct tokens *t, const struct token *type)
{
  int64_t length;
  tokens_expect(t, "[");
  if (!token_is(type, "char")) {
    tokens_fail(t, type, "only numbers, pointers and names of threads, as in \"char name[16]\", can be variables");
    return;
  }
  spec_read_number(t, &length);
  tokens_expect(t, "]");
  if (!tokens_accept(t, "="))
    return;
  if (t->next.kind != TOKEN_STRING || t->next.length)
    tokens_unexpected(t, "\"\": who it names is said by mop_self_name()");
  tokens_take(t);
}

/* long n = 0; */
static void read_variable(struct tokens *t, struct spec *s)
{
  struct token name = tokens_name(t, "a variable, an event or the property");
  struct token type = name;
  unsigned words = 1;
  for (; t->next.kind == TOKEN_NAME || tokens_next_is(t, "*"); words++)
    name = tokens_take(t);
  if (words < 2)
    tokens_unexpected(t, "\"event\", a variable or the property, as in \"ere:\"");
  if (s->variables == PROPERTY_VARIABLES)
    tokens_fail(t, &name, "there are more than %d variables", PROPERTY_VARIABLES);
  if (tokens_failed(t) || !copy_name(t, &name, s->variable[s->variables]))
    return;
  s->initial[s->variables] = 0;
  if (tokens_next_is(t, "["))
    read_name_variable(t, &type);
  else if (tokens_accept(t, "=") && !tokens_accept(t, "NULL"))
    spec_read_number(t, &s->initial[s->variables]);
  tokens_expect(t, ";");
  s->variables++;
}

/* ---- handlers ---- */

/* What the categories of each formalism are called. */
static const struct {
  const char *name;
  unsigned formalisms; /* a set */
  uint32_t category;
} categories[] = {
    {"fail", 1 << FORMALISM_FSM | 1 << FORMALISM_ERE | 1 << FORMALISM_CFG | 1 << FORMALISM_SRS, CATEGORY_FAIL},
    {"match", 1 << FORMALISM_ERE | 1 << FORMALISM_CFG, CATEGORY_MATCH},
    {"violation", 1 << FORMALISM_LTL | 1 << FORMALISM_PTLTL, CATEGORY_VIOLATION},
    {"validation", 1 << FORMALISM_PTLTL, CATEGORY_VALIDATION},
    {"succeed", 1 << FORMALISM_SRS, CATEGORY_SUCCEED}};
#define CATEGORIES (sizeof categories / sizeof *categories)

/* 0 if there is none of that name. */
static uint32_t category_named(const struct spec *s, const char *name)
{
  for (uint32_t i = 0; i < s->aliases; i++)
    if (!strcmp(s->alias[i], name))
      return (uint32_t)CATEGORY_ALIAS << i;
  for (size_t i = 0; i < CATEGORIES; i++)
    if (!strcmp(categories[i].name, name) && categories[i].formalisms >> s->formalism & 1)
      return categories[i].category;
  return 0;
}

static void unknown_category(struct tokens *t, const struct spec *s, const struct token *name)
{
  char known[120] = "";
  for (size_t i = 0; i < CATEGORIES; i++)
    if (categories[i].formalisms >> s->formalism & 1)
      snprintf(known + strlen(known), sizeof known - strlen(known), "%s%s", *known ? ", " : "", categories[i].name);
  tokens_fail(t, name, "\"%.*s\" is no category of %s; these are: %s", (int)(name->length < 40 ? name->length : 40),
              name->text, formalisms[s->formalism], known);
}

/* Of an enforced property the category is where it must stay, otherwise where it must not come. */
static void apply_category(struct tokens *t, struct spec *s, const struct token *name)
{
  char text[PROPERTY_NAME];
  token_copy(name, text, sizeof text);
  bool none = !category_named(s, text) && !strncmp(text, "non", 3);
  uint32_t category = category_named(s, none ? text + 3 : text);
  if (!category) {
    unknown_category(t, s, name);
  } else if (s->reach || s->leave) {
    tokens_fail(t, name, "a property has one handler, beside \"@deadlock\"");
  } else if (none && !s->enforced) {
    tokens_fail(t, name,
                "the first event leads to \"%s\"; write \"enforce\" before the property if it must never be left, "
                "or \"@%s\"",
                text, text + 3);
  } else {
    s->reach = s->enforced == none ? category : 0;
    s->leave = s->enforced && !none ? category : 0;
    snprintf(s->category, sizeof s->category, "%s", text);
  }
}

/* "message", call FUNCTION, lua { … } */
static void read_action(struct tokens *t, struct spec *s, enum handled what)
{
  if (t->next.kind == TOKEN_STRING) {
    struct token text = tokens_take(t);
    if (text.length >= PROPERTY_MESSAGE)
      tokens_fail(t, &text, "messages have at most %d characters", PROPERTY_MESSAGE - 1);
    token_copy(&text, what == HANDLED_DEADLOCK ? s->deadlock : s->message, PROPERTY_MESSAGE);
  } else if (tokens_accept(t, "call")) {
    struct token name = tokens_name(t, "the name of a function");
    copy_name(t, &name, s->calls[what]);
    tokens_accept(t, ";");
  } else if (tokens_accept(t, "lua")) {
    s->script[what] = tokens_block(t);
  } else {
    tokens_unexpected(t,
                      "a message, as in { \"closed twice\" }, \"call\" and a function, \"lua\" and a script, or \"}\"");
  }
}

static void read_handler(struct tokens *t, struct spec *s)
{
  tokens_expect(t, "@");
  struct token name = tokens_name(t, "a category");
  if (tokens_failed(t))
    return;
  bool is_deadlock = token_is(&name, "deadlock");
  if (is_deadlock && !s->enforced)
    tokens_fail(t, &name, "\"@deadlock\" is for properties that are enforced");
  else if (!is_deadlock)
    apply_category(t, s, &name);
  tokens_expect(t, "{");
  while (!tokens_failed(t) && !tokens_next_is(t, "}"))
    read_action(t, s, is_deadlock ? HANDLED_DEADLOCK : HANDLED_CATEGORY);
  tokens_expect(t, "}");
}

/* ---- the whole ---- */

static bool take_formalism(struct tokens *t, struct spec *s)
{
  struct tokens ahead = *t;
  tokens_take(&ahead);
  for (unsigned i = 0; i < FORMALISM_COUNT; i++)
    if (tokens_next_is(t, formalisms[i]) && tokens_next_is(&ahead, ":")) {
      s->formalism = (enum formalism)i;
      tokens_take(t);
      tokens_take(t);
      return true;
    }
  return false;
}

static bool is_event_next(const struct tokens *t)
{
  return tokens_next_is(t, "event") || tokens_next_is(t, "creation") || tokens_next_is(t, "destroy");
}

/* A property that marks no creation event has nothing but them. */
static void settle_creation(struct spec *s)
{
  bool marked = false;
  for (uint32_t i = 0; i < s->events; i++)
    marked |= s->event[i].creation;
  for (uint32_t i = 0; i < s->events && !marked; i++)
    s->event[i].creation = true;
}

static void read_content(struct tokens *t, struct spec *s)
{
  bool found = false;
  while (!tokens_failed(t) && !is_event_next(t) && !(found = take_formalism(t, s)))
    read_variable(t, s);
  while (!tokens_failed(t) && !found && is_event_next(t))
    read_event(t, s);
  if (!found && !take_formalism(t, s))
    tokens_unexpected(t, "an event, or the property, as in \"ere:\"");
  if (!s->events)
    tokens_fail(t, &s->at, "\"%s\" has no events", s->name);
  if (!tokens_failed(t))
    spec_read_property(t, s);
  while (tokens_next_is(t, "@"))
    read_handler(t, s);
  if (!s->reach && !s->leave)
    tokens_fail(t, &t->next, "\"%s\" has no handler that says which category is meant, as in \"@fail {}\"", s->name);
  tokens_expect(t, "}");
}

bool spec_read(struct tokens *t, struct spec *s)
{
  if (tokens_failed(t) || t->next.kind == TOKEN_END)
    return false;
  memset(s, 0, sizeof *s);
  s->codes = 1;
  s->enforced = tokens_accept(t, "enforce");
  s->at = tokens_name(t, "the name of a property");
  copy_name(t, &s->at, s->name);
  read_values(t, s->parameter, &s->parameters, PROPERTY_PARAMETERS, "parameters");
  tokens_expect(t, "{");
  if (!tokens_failed(t))
    read_content(t, s);
  settle_creation(s);
  return !tokens_failed(t);
}
