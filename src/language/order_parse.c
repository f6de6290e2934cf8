/* SPDX-License-Identifier: Apache-2.0
 *
 * The parser of orderings, by recursive descent; see order_parse.h for the grammar. The first error ends it.
 */
#include "language/order_parse.h"
#include "core/without_libc.h"
#include "language/order_check.h"

enum order_token_kind { ORDER_END, ORDER_NAME, ORDER_ARROW, ORDER_AND, ORDER_OR, ORDER_SIGN, ORDER_UNKNOWN };

struct order_token {
  enum order_token_kind kind;
  const char *text;
  size_t length;
  unsigned line, column;
};

struct parser {
  const char *at; /* behind the token */
  unsigned line, column;
  struct order_token token; /* the next one */
  struct ordering *out;
  struct order_error *error;
  bool failed;
  unsigned depth;
};

/* ---- tokens ---- */

static bool begins_name(char c)
{
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_in_name(char c)
{
  return begins_name(c) || (c >= '0' && c <= '9');
}

static void skip_space(struct parser *p)
{
  bool comment = false;
  for (; *p->at; p->at++) {
    char c = *p->at;
    comment = c == '#' || (comment && c != '\n');
    if (!comment && c != ' ' && c != '\t' && c != '\n' && c != '\r')
      return;
    p->column = c == '\n' ? 1 : p->column + 1;
    p->line += c == '\n';
  }
}

static void take_token(struct parser *p)
{
  static const struct {
    const char *text;
    enum order_token_kind kind;
  } signs[] = {{"->", ORDER_ARROW}, {"&&", ORDER_AND}, {"||", ORDER_OR},  {"[", ORDER_SIGN},
               {"]", ORDER_SIGN},   {"(", ORDER_SIGN}, {")", ORDER_SIGN}, {",", ORDER_SIGN},
               {"@", ORDER_SIGN},   {".", ORDER_SIGN}, {"!", ORDER_SIGN}};
  skip_space(p);
  struct order_token t = {.kind = *p->at ? ORDER_UNKNOWN : ORDER_END,
                          .text = p->at,
                          .length = *p->at != 0,
                          .line = p->line,
                          .column = p->column};
  for (unsigned i = 0; i < sizeof signs / sizeof signs[0] && t.kind == ORDER_UNKNOWN; i++) {
    const char *s = signs[i].text;
    if (s[0] != p->at[0] || (s[1] && s[1] != p->at[1]))
      continue;
    t.kind = signs[i].kind;
    t.length = text_length(s);
  }
  if (begins_name(*p->at)) {
    t.kind = ORDER_NAME;
    while (is_in_name(p->at[t.length]))
      t.length++;
  }
  p->at += t.length;
  p->column += (unsigned)t.length;
  p->token = t;
}

static bool is_sign(const struct parser *p, char sign)
{
  return p->token.kind == ORDER_SIGN && p->token.text[0] == sign;
}

static bool is_word(const struct order_token *t, const char *word)
{
  size_t n = 0;
  while (n < t->length && t->text[n] == word[n])
    n++;
  return n == t->length && !word[n];
}

/* ---- errors ---- */

static void found_text(const struct order_token *t, char *out, size_t size)
{
  size_t length = t->length < size - 3 ? t->length : size - 3;
  if (t->kind == ORDER_END) {
    print_text(out, size, "the end");
    return;
  }
  out[0] = out[length + 1] = '`';
  copy_bytes(out + 1, t->text, length);
  out[length + 2] = 0;
}

static void fail_at(struct parser *p, const struct order_token *t, const char *why)
{
  if (p->failed)
    return;
  p->failed = true;
  p->error->line = t->line;
  p->error->column = t->column;
  print_text(p->error->text, sizeof p->error->text, "%s", why);
}

static void expected(struct parser *p, const char *what)
{
  char found[48], why[192];
  found_text(&p->token, found, sizeof found);
  print_text(why, sizeof why, "expected %s, found %s", what, found);
  fail_at(p, &p->token, why);
}

static void take_sign(struct parser *p, char sign, const char *what)
{
  if (!is_sign(p, sign))
    expected(p, what);
  else
    take_token(p);
}

/* ---- events ---- */

/* A dotted name; false, with the error, if it is none or too long. */
static bool take_name(struct parser *p, bool dotted, const char *what, char *out, size_t size)
{
  struct order_token first = p->token;
  size_t n = 0;
  for (bool more = true; more;) {
    if (p->token.kind != ORDER_NAME) {
      expected(p, n ? "a name after `.`" : what);
      return false;
    }
    if (n + p->token.length + 2 > size) {
      fail_at(p, &first, "this name is too long");
      return false;
    }
    copy_bytes(out + n, p->token.text, p->token.length);
    n += p->token.length;
    take_token(p);
    more = dotted && is_sign(p, '.');
    if (more) {
      out[n++] = '.';
      take_token(p);
    }
  }
  out[n] = 0;
  return true;
}

static bool is_digit(char c)
{
  return c >= '0' && c <= '9';
}

/* A name, or one by who created it: T2.1. */
static void take_thread(struct parser *p, const char *what, char *out, size_t size)
{
  struct order_token first = p->token;
  if (!take_name(p, false, what, out, size))
    return;
  size_t n = text_length(out);
  while (is_sign(p, '.') && is_digit(*p->at)) {
    out[n++] = '.';
    for (; is_digit(*p->at) && n + 2 < size; p->at++, p->column++)
      out[n++] = *p->at;
    out[n] = 0;
    if (is_in_name(*p->at))
      fail_at(p, &first, "this name is too long");
    take_token(p);
  }
}

static bool is_same_event(const struct ordering_event *a, const struct ordering_event *b)
{
  return a->kind == b->kind && text_compare(a->name, b->name) == 0 && text_compare(a->thread, b->thread) == 0;
}

static unsigned event_number(struct parser *p, const struct order_token *at, const struct ordering_event *event)
{
  struct ordering *o = p->out;
  for (unsigned i = 0; i < o->events; i++)
    if (is_same_event(&o->event[i], event))
      return i;
  if (o->events == ORDERING_EVENTS) {
    fail_at(p, at, "there are more than 64 events");
    return 0;
  }
  o->event[o->events] = *event;
  o->event[o->events].line = (uint16_t)at->line;
  o->event[o->events].column = (uint16_t)at->column;
  return o->events++;
}

static unsigned take_event(struct parser *p, const char *what)
{
  struct order_token first = p->token;
  struct ordering_event event = {.kind = ORDERING_MARK};
  if (!take_name(p, true, what, event.name, sizeof event.name))
    return 0;
  bool at_thread = is_sign(p, '@');
  if (is_word(&first, event.name) && (is_word(&first, "start") || is_word(&first, "end"))) {
    event.kind = is_word(&first, "start") ? ORDERING_START : ORDERING_END;
    if (!at_thread)
      expected(p, event.kind == ORDERING_START ? "`@` and a thread after `start`" : "`@` and a thread after `end`");
  }
  if (at_thread && (is_word(&first, "block") || is_word(&first, "unblock")))
    fail_at(p, &first, "that a thread blocks is no event; `[event]` asks whether the thread of the event is blocked");
  if (at_thread) {
    take_token(p);
    take_thread(p, "the name of a thread after `@`", event.thread, sizeof event.thread);
  }
  return p->failed ? 0 : event_number(p, &first, &event);
}

/* ---- conditions ---- */

static void put_word(struct parser *p, enum ordering_word_kind kind, unsigned event)
{
  struct ordering *o = p->out;
  if (o->words == ORDERING_WORDS)
    fail_at(p, &p->token, "the conditions are too long");
  else
    o->word[o->words++] = (struct ordering_word){(uint8_t)kind, (uint8_t)event};
  if (ordering_is_leaf(kind) && kind != ORDERING_STANDS)
    o->asked |= ORDERING_BIT(event);
}

static void take_condition(struct parser *p);

static void take_leaf(struct parser *p)
{
  if (is_sign(p, '(')) {
    if (p->depth++ == ORDERING_DEPTH)
      fail_at(p, &p->token, "there are too many parentheses in each other");
    take_token(p);
    if (!p->failed)
      take_condition(p);
    take_sign(p, ')', "`)`, `&&` or `||`");
    p->depth--;
    return;
  }
  bool bracket = is_sign(p, '[');
  if (bracket)
    take_token(p);
  unsigned event = take_event(p, bracket ? "an event after `[`" : "an event, `[` or `(`");
  if (bracket) {
    take_sign(p, ']', "`]`");
    p->out->event[event].bracketed = true;
  }
  put_word(p, bracket ? ORDERING_BLOCKED : ORDERING_OCCURRED, event);
}

static void take_conjunction(struct parser *p)
{
  take_leaf(p);
  while (!p->failed && p->token.kind == ORDER_AND) {
    take_token(p);
    take_leaf(p);
    put_word(p, ORDERING_AND, 0);
  }
}

static void take_condition(struct parser *p)
{
  take_conjunction(p);
  while (!p->failed && p->token.kind == ORDER_OR) {
    take_token(p);
    take_conjunction(p);
    put_word(p, ORDERING_OR, 0);
  }
}

/* ---- orderings ---- */

static void take_rule(struct parser *p)
{
  struct ordering *o = p->out;
  struct ordering_rule rule = {
      .first = (uint16_t)o->words, .line = (uint16_t)p->token.line, .column = (uint16_t)p->token.column};
  if (o->rules == ORDERING_RULES)
    fail_at(p, &p->token, "there are more than 64 orderings");
  take_condition(p);
  if (p->failed)
    return;
  rule.length = (uint16_t)(o->words - rule.first);
  if (p->token.kind != ORDER_ARROW) {
    expected(p, "`->`, `&&` or `||`");
    return;
  }
  take_token(p);
  if (is_sign(p, '['))
    fail_at(p, &p->token, "what waits is an event, and whether its thread is blocked cannot: no `[` after `->`");
  rule.event = (uint8_t)take_event(p, "an event after `->`");
  if (p->failed)
    return;
  o->guarded |= ORDERING_BIT(rule.event);
  o->rule[o->rules++] = rule;
}

/* ---- formulas ---- */

static void take_arrow(struct parser *p);

/* The number of the thread among those that are asked for. */
static unsigned thread_number(struct parser *p, const struct order_token *at, const char *name)
{
  struct ordering *o = p->out;
  for (unsigned i = 0; i < o->threads; i++)
    if (text_compare(o->thread[i], name) == 0)
      return i;
  if (o->threads == ORDERING_THREADS) {
    fail_at(p, at, "more than 16 threads are asked for");
    return 0;
  }
  print_text(o->thread[o->threads], ORDERING_THREAD, "%s", name);
  return o->threads++;
}

static void take_standing(struct parser *p)
{
  char name[ORDERING_THREAD];
  take_token(p);
  const struct order_token at = p->token;
  take_thread(p, "the name of a thread after `[`", name, sizeof name);
  if (!p->failed)
    take_sign(p, ']', "`]`");
  if (!p->failed)
    put_word(p, ORDERING_STANDS, thread_number(p, &at, name));
}

static void take_term(struct parser *p)
{
  const bool group = is_sign(p, '('), negated = is_sign(p, '!');
  if (!group && !negated) {
    if (is_sign(p, '['))
      take_standing(p);
    else
      put_word(p, ORDERING_OCCURRED, take_event(p, "an event, `[`, `!` or `(`"));
    return;
  }
  if (p->depth++ == ORDERING_DEPTH)
    fail_at(p, &p->token, "there are too many parentheses in each other");
  take_token(p);
  if (!p->failed && negated)
    take_term(p);
  else if (!p->failed)
    take_arrow(p);
  if (group)
    take_sign(p, ')', "`)`, `->`, `&&` or `||`");
  else
    put_word(p, ORDERING_NOT, 0);
  p->depth--;
}

static void take_terms(struct parser *p)
{
  take_term(p);
  while (!p->failed && p->token.kind == ORDER_AND) {
    take_token(p);
    take_term(p);
    put_word(p, ORDERING_AND, 0);
  }
}

static void take_alternatives(struct parser *p)
{
  take_terms(p);
  while (!p->failed && p->token.kind == ORDER_OR) {
    take_token(p);
    take_terms(p);
    put_word(p, ORDERING_OR, 0);
  }
}

static void take_arrow(struct parser *p)
{
  take_alternatives(p);
  if (p->failed || p->token.kind != ORDER_ARROW)
    return;
  if (p->out->arrows == ORDERING_ARROWS)
    fail_at(p, &p->token, "there are more than 64 arrows");
  take_token(p);
  take_alternatives(p);
  if (p->token.kind == ORDER_ARROW)
    fail_at(p, &p->token, "`->` of what has `->` itself: write parentheses");
  put_word(p, ORDERING_LEADS, p->out->arrows++);
}

static bool parse_formula(const char *text, struct ordering *out, struct order_error *error)
{
  struct parser p = {.at = text, .line = 1, .column = 1, .out = out, .error = error};
  fill_bytes(out, 0, sizeof *out);
  out->is_formula = true;
  take_token(&p);
  take_arrow(&p);
  while (!p.failed && is_sign(&p, ',')) {
    take_token(&p);
    if (p.token.kind == ORDER_END)
      break;
    take_arrow(&p);
    put_word(&p, ORDERING_AND, 0);
  }
  if (p.token.kind != ORDER_END)
    expected(&p, "`,`, `->`, `&&`, `||` or the end");
  out->guarded = out->asked;
  return !p.failed && order_check(out, error);
}

bool order_read(enum order_kind kind, const char *text, struct ordering *out, struct order_error *error)
{
  if (!(kind == ORDER_FORMULA ? parse_formula : order_parse)(text, out, error))
    return false;
  out->pinned = kind == ORDER_PIN;
  return true;
}

bool order_parse(const char *text, struct ordering *out, struct order_error *error)
{
  struct parser p = {.at = text, .line = 1, .column = 1, .out = out, .error = error};
  fill_bytes(out, 0, sizeof *out);
  take_token(&p);
  while (!p.failed && p.token.kind != ORDER_END) {
    bool name = p.token.kind == ORDER_NAME || is_sign(&p, '[') || is_sign(&p, '(');
    if (!name)
      expected(&p, out->rules ? "`,`, another ordering or the end" : "an event, `[` or `(`");
    else
      take_rule(&p);
    if (!p.failed && is_sign(&p, ','))
      take_token(&p);
  }
  return !p.failed && order_check(out, error);
}
