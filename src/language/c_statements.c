/* SPDX-License-Identifier: Apache-2.0
 *
 * The statements of a C or C++ file; see c_statements.h. Tokens first, then functions, then statements by recursive
 * descent.
 */
#include "language/c_statements.h"
#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH_MOST 200 /* of statements in each other */

struct c_token {
  size_t at, length;
  char kind;           /* 'a': a name, '0': a number, '"': a text, else the sign itself */
  unsigned conditions; /* of the preprocessor that it is under: #if */
  size_t directive;    /* the first #if between it and the token before it; C_NONE: there is none */
};

struct c_sleeper {
  size_t at, length; /* a macro that stands for a sleep */
};

struct c_reader {
  const char *text;
  size_t length;
  struct c_token *token;
  size_t tokens, token_room;
  struct c_sleeper *sleeper;
  size_t sleepers;
  struct c_file *file;
  size_t statement_room, function_room;
  size_t function; /* that statements are in */
  size_t at;       /* the next token */
  unsigned depth;
  unsigned conditions; /* that the next token is under; once all are read: that the function is under */
  size_t directive;    /* of the next token */
  bool cxx;
  bool failed;
};

/* One more element; NULL: no memory, and all of it fails. */
static void *one_more(struct c_reader *r, void **array, size_t count, size_t *room, size_t size)
{
  if (count == *room) {
    const size_t more = *room ? 2 * *room : 64;
    void *larger = realloc(*array, more * size);
    if (!larger) {
      r->failed = true;
      return NULL;
    }
    *array = larger;
    *room = more;
  }
  return (char *)*array + count * size;
}

/* ---- names ---- */

static bool is_one_of(const char *text, size_t length, const char *const *list)
{
  for (; *list; list++)
    if (strlen(*list) == length && !memcmp(text, *list, length))
      return true;
  return false;
}

static bool names_sleep(const char *text, size_t length)
{
  static const char *const known[] = {"sleep",     "usleep",      "nanosleep", "clock_nanosleep", "thrd_sleep",
                                      "msleep",    "napms",       "delay_ms",  "sleep_ms",        "pause_ms",
                                      "sleep_for", "sleep_until", NULL};
  return is_one_of(text, length, known);
}

/* Calls that sleep if they wait for nothing: their first words say so. */
static bool names_wait_for_nothing(const struct c_reader *r, size_t i)
{
  static const char *const known[] = {"poll", "select", NULL};
  static const char *const nothing[] = {"NULL", "0", NULL};
  const struct c_token *t = &r->token[i];
  return i + 2 < r->tokens && is_one_of(r->text + t->at, t->length, known) &&
         is_one_of(r->text + t[2].at, t[2].length, nothing);
}

static bool creates_threads(const char *text, size_t length)
{
  static const char *const known[] = {"pthread_create", "thrd_create", "HD_CREATE", "async", NULL};
  return is_one_of(text, length, known);
}

/* Not calls, though a parenthesis follows. */
static bool is_keyword(const char *text, size_t length)
{
  static const char *const known[] = {
      "if",       "while",    "for",     "switch",        "return",         "sizeof",
      "_Alignof", "typeof",   "alignof", "__attribute__", "_Static_assert", "__typeof__",
      "defined",  "_Alignas", "_Atomic", "catch",         "decltype",       "static_assert",
      "noexcept", "else",     "throw",   "new",           "delete",         "co_return",
      NULL};
  return is_one_of(text, length, known);
}

bool c_only_checks(const char *name)
{
  bool lower = false;
  for (const char *c = name; *c; c++)
    lower |= islower((unsigned char)*c) != 0;
  return !lower || !strncmp(name, "__", 2) || strstr(name, "assert") || !strncmp(name, "check", 5) ||
         !strncmp(name, "expect", 6) || !strncmp(name, "require", 7) || !strncmp(name, "verify", 6);
}

/* ---- tokens ---- */

static void add_token(struct c_reader *r, size_t at, size_t length, char kind)
{
  struct c_token *t = one_more(r, (void **)&r->token, r->tokens, &r->token_room, sizeof *t);
  if (!t)
    return;
  *t = (struct c_token){at, length, kind, r->conditions, r->directive};
  r->directive = C_NONE;
  r->tokens++;
}

static size_t behind_quote(const struct c_reader *r, size_t at)
{
  const char quote = r->text[at++];
  while (at < r->length && r->text[at] != quote && r->text[at] != '\n')
    at += r->text[at] == '\\' ? 2 : 1;
  return at < r->length ? at + 1 : r->length;
}

static size_t behind_comment(const struct c_reader *r, size_t at)
{
  const bool line = r->text[at + 1] == '/';
  for (at += 2; at < r->length; at++) {
    if (line && r->text[at] == '\n')
      return at;
    if (!line && r->text[at] == '*' && at + 1 < r->length && r->text[at + 1] == '/')
      return at + 2;
  }
  return r->length;
}

static bool is_name(char c)
{
  return isalnum((unsigned char)c) || c == '_';
}

static size_t behind_name(const struct c_reader *r, size_t at)
{
  while (at < r->length && is_name(r->text[at]))
    at++;
  return at;
}

/* "1'000": that quote is part of the number. */
static size_t behind_number(const struct c_reader *r, size_t at)
{
  while (at < r->length &&
         (is_name(r->text[at]) || (r->text[at] == '\'' && at + 1 < r->length && is_name(r->text[at + 1]))))
    at++;
  return at;
}

/* R"x(…)x", from its quote. */
static size_t behind_raw_text(const struct c_reader *r, size_t at)
{
  size_t open = at;
  while (open < r->length && r->text[open] != '(')
    open++;
  const size_t mark = open - at; /* the quote, or what comes back before it */
  for (size_t i = open; i + mark < r->length; i++)
    if (r->text[i] == ')' && r->text[i + mark] == '"' && !memcmp(r->text + i + 1, r->text + at + 1, mark - 1))
      return i + mark + 1;
  return r->length;
}

static size_t behind_blanks(const struct c_reader *r, size_t at)
{
  while (at < r->length && (r->text[at] == ' ' || r->text[at] == '\t'))
    at++;
  return at;
}

static bool has_word(const struct c_reader *r, size_t at, const char *word)
{
  const size_t length = strlen(word);
  return r->length - at > length && !memcmp(r->text + at, word, length) && !is_name(r->text[at + length]);
}

/* "#define pause_a_bit() usleep(1000)": the name, if the first thing that the text calls sleeps. */
static void note_macro(struct c_reader *r, size_t at, size_t end)
{
  const size_t name = behind_blanks(r, at), name_end = behind_name(r, name);
  size_t body = name_end;
  if (body < end && r->text[body] == '(') /* its parameters */
    while (body < end && r->text[body] != ')')
      body++;
  for (size_t i = body; i < end; i++) {
    const size_t word_end = behind_name(r, i);
    if (word_end == i)
      continue;
    const size_t next = behind_blanks(r, word_end);
    const bool call = next < end && r->text[next] == '(' && !isdigit((unsigned char)r->text[i]);
    if (call && names_sleep(r->text + i, word_end - i)) {
      struct c_sleeper *more = realloc(r->sleeper, (r->sleepers + 1) * sizeof *more);
      if (!more) {
        r->failed = true;
        return;
      }
      r->sleeper = more;
      r->sleeper[r->sleepers++] = (struct c_sleeper){name, name_end - name};
    }
    if (call)
      return;
    i = word_end - 1;
  }
}

/* Behind a line of the preprocessor and those that it goes on in. */
static size_t behind_directive(struct c_reader *r, size_t at)
{
  const size_t word = behind_blanks(r, at + 1);
  size_t end = at;
  while (end < r->length && (r->text[end] != '\n' || r->text[end - 1] == '\\'))
    end++;
  if (has_word(r, word, "if") || has_word(r, word, "ifdef") || has_word(r, word, "ifndef"))
    r->directive = r->conditions++ && r->directive != C_NONE ? r->directive : at;
  else if (has_word(r, word, "endif") && r->conditions)
    r->conditions--;
  else if (has_word(r, word, "include") && !r->conditions)
    r->file->after_includes = end < r->length ? end + 1 : end;
  else if (has_word(r, word, "define"))
    note_macro(r, word + strlen("define"), end);
  return end;
}

/* Behind the name there. */
static bool is_raw_text(const struct c_reader *r, size_t at)
{
  return r->cxx && at < r->length && r->text[at] == '"' && r->text[at - 1] == 'R';
}

static void take_tokens(struct c_reader *r)
{
  bool line_begins = true;
  for (size_t at = 0; at < r->length && !r->failed;) {
    const char c = r->text[at], next = at + 1 < r->length ? r->text[at + 1] : 0;
    size_t end = at + 1;
    if (c == '\n' || isspace((unsigned char)c)) {
      line_begins |= c == '\n';
      at++;
      continue;
    }
    if (c == '#' && line_begins) {
      at = behind_directive(r, at);
      continue;
    }
    if (c == '/' && (next == '/' || next == '*')) {
      at = behind_comment(r, at);
      continue;
    }
    line_begins = false;
    if (c == '"' || c == '\'')
      add_token(r, at, (end = behind_quote(r, at)) - at, '"');
    else if (isdigit((unsigned char)c))
      add_token(r, at, (end = behind_number(r, at)) - at, '0');
    else if (is_name(c) && is_raw_text(r, end = behind_name(r, at)))
      add_token(r, at, (end = behind_raw_text(r, end)) - at, '"');
    else if (is_name(c))
      add_token(r, at, end - at, 'a');
    else
      add_token(r, at, 1, c);
    at = end;
  }
}

/* ---- statements ---- */

static const struct c_token *token(const struct c_reader *r, size_t i)
{
  static const struct c_token end = {0};
  return i < r->tokens ? &r->token[i] : &end;
}

static bool is_word(const struct c_reader *r, size_t i, const char *word)
{
  const struct c_token *t = token(r, i);
  return t->kind == 'a' && t->length == strlen(word) && !memcmp(r->text + t->at, word, t->length);
}

static bool is_plain_name(const struct c_reader *r, size_t i)
{
  const struct c_token *t = token(r, i);
  return t->kind == 'a' && !is_keyword(r->text + t->at, t->length);
}

/* In C++, a name behind a type: it is made by a call. */
static bool is_declared(const struct c_reader *r, size_t i)
{
  return r->cxx && i && is_plain_name(r, i) && (is_plain_name(r, i - 1) || token(r, i - 1)->kind == '>');
}

static bool is_call(const struct c_reader *r, size_t i)
{
  const char next = token(r, i + 1)->kind;
  return is_plain_name(r, i) && (next == '(' || (next == '{' && is_declared(r, i)));
}

/* The token that says what is called: of what is declared, its type. */
static size_t callee_of(const struct c_reader *r, size_t i)
{
  unsigned open = 0;
  if (!is_declared(r, i))
    return i;
  for (size_t k = i - 1; k; k--) {
    open += token(r, k)->kind == '>';
    open -= open && token(r, k)->kind == '<';
    if (!open && is_plain_name(r, k))
      return k;
  }
  return i;
}

/* Behind "std::this_thread::". */
static size_t behind_scopes(const struct c_reader *r, size_t i)
{
  i += token(r, i)->kind == ':' && token(r, i + 1)->kind == ':' ? 2 : 0;
  while (token(r, i)->kind == 'a' && token(r, i + 1)->kind == ':' && token(r, i + 2)->kind == ':')
    i += 3;
  return i;
}

static void copy_name(const struct c_reader *r, size_t i, char out[C_NAME])
{
  const struct c_token *t = token(r, i);
  const size_t length = t->length < C_NAME - 1 ? t->length : C_NAME - 1;
  memcpy(out, r->text + t->at, length);
  out[length] = 0;
}

/* Whether the call of that token is one that sleeps. */
static bool is_sleep(const struct c_reader *r, size_t i)
{
  const struct c_token *t = token(r, i);
  if (names_sleep(r->text + t->at, t->length) || names_wait_for_nothing(r, i))
    return true;
  for (size_t k = 0; k < r->sleepers; k++)
    if (r->sleeper[k].length == t->length && !memcmp(r->text + r->sleeper[k].at, r->text + t->at, t->length))
      return true;
  for (size_t k = 0; k < r->file->functions; k++)
    if (r->file->function[k].only_sleeps && is_word(r, i, r->file->function[k].name))
      return true;
  return false;
}

/* Behind what closes the parenthesis, bracket or brace at that token. */
static size_t behind_pair(struct c_reader *r, size_t i)
{
  unsigned open = 0;
  for (; i < r->tokens; i++) {
    const char c = r->token[i].kind;
    open += c == '(' || c == '[' || c == '{';
    open -= c == ')' || c == ']' || c == '}';
    if (!open)
      return i + 1;
  }
  r->failed = true;
  return i;
}

/* The token that opens the pair which that one closes. */
static size_t before_pair(const struct c_reader *r, size_t i)
{
  unsigned open = 0;
  for (; i; i--) {
    const char c = token(r, i)->kind;
    open += c == ')' || c == ']' || c == '}';
    open -= c == '(' || c == '[' || c == '{';
    if (!open)
      break;
  }
  return i;
}

/* The bracket that a lambda begins with whose body has that brace; C_NONE: it is none. */
static size_t lambda_of(const struct c_reader *r, size_t brace)
{
  size_t i = brace;
  if (!r->cxx || token(r, brace)->kind != '{')
    return C_NONE;
  while (i && (is_word(r, i - 1, "mutable") || is_word(r, i - 1, "noexcept")))
    i--;
  if (i && token(r, i - 1)->kind == ')')
    i = before_pair(r, i - 1);
  if (!i || token(r, i - 1)->kind != ']')
    return C_NONE;
  i = before_pair(r, i - 1);
  const char before = i ? token(r, i - 1)->kind : 0;
  return before == ')' || before == ']' || (i && is_plain_name(r, i - 1)) ? C_NONE : i;
}

/* What the tokens of the statement call; what is in lambdas is called later. */
static void note_calls(struct c_reader *r, size_t statement, size_t from, size_t to)
{
  for (size_t i = from; i < to; i++) {
    struct c_statement *s = &r->file->statement[statement];
    if (lambda_of(r, i) != C_NONE)
      i = behind_pair(r, i) - 1;
    if (!is_call(r, i))
      continue;
    s->calls = true;
    if (!s->call[0] || c_only_checks(s->call))
      copy_name(r, callee_of(r, i), s->call);
  }
}

/* "usleep(100);" or "(void)usleep(100);" or "std::this_thread::sleep_for(1ms);" and nothing more. */
static bool is_only_sleep(struct c_reader *r, size_t from, size_t to)
{
  if (token(r, from)->kind == '(' && is_word(r, from + 1, "void") && token(r, from + 2)->kind == ')')
    from += 3;
  from = behind_scopes(r, from);
  return is_call(r, from) && is_sleep(r, from) && behind_pair(r, from + 1) + 1 == to;
}

struct c_around {
  bool in_list, loops, counts;
  size_t after; /* the statement before it in its list */
};

/* Before a statement that the next token begins, where all builds have what is put there: before its #if, if that
 * stands between two statements. */
static size_t before_conditions(const struct c_reader *r)
{
  const struct c_token *first = token(r, r->at), *last = token(r, r->at - 1);
  if (first->conditions <= r->conditions)
    return first->at;
  const bool between = last->kind == ';' || last->kind == '{' || last->kind == '}';
  return between && last->conditions == r->conditions ? first->directive : C_NONE;
}

static size_t new_statement(struct c_reader *r, struct c_around around)
{
  struct c_file *f = r->file;
  struct c_statement *s = one_more(r, (void **)&f->statement, f->statements, &r->statement_room, sizeof *s);
  if (!s)
    return C_NONE;
  *s = (struct c_statement){.begin = token(r, r->at)->at,
                            .before = before_conditions(r),
                            .function = r->function,
                            .conditional = token(r, r->at)->conditions > r->conditions,
                            .in_list = around.in_list,
                            .after = around.after,
                            .loops = around.loops,
                            .counts = around.counts};
  return f->statements++;
}

static void end_statement(struct c_reader *r, size_t statement)
{
  const struct c_token *last = token(r, r->at - 1);
  r->file->statement[statement].end = last->at + last->length;
}

static size_t take_statement(struct c_reader *r, struct c_around around);
static void take_function(struct c_reader *r, size_t name);

/* From its brace; the list is its own. */
static void take_list(struct c_reader *r, struct c_around around)
{
  size_t last = C_NONE;
  around.in_list = true;
  around.after = C_NONE;
  r->at++;
  while (!r->failed && r->at < r->tokens && token(r, r->at)->kind != '}') {
    const size_t taken = take_statement(r, around);
    if (taken != C_NONE)
      around.after = last = taken;
  }
  r->failed |= r->at >= r->tokens;
  r->at++;
  if (!r->failed && last != C_NONE)
    r->file->statement[last].last = true;
}

/* What a control statement governs: a list, or a statement that counts as part of it. */
static void take_body(struct c_reader *r, size_t statement, struct c_around around)
{
  around.in_list = false;
  around.after = C_NONE;
  if (token(r, r->at)->kind == '{') {
    take_list(r, around);
    return;
  }
  const size_t body = take_statement(r, around);
  if (body == C_NONE || r->failed)
    return;
  const struct c_statement inner = r->file->statement[body];
  struct c_statement *s = &r->file->statement[statement];
  s->calls |= inner.calls && !inner.sleeps;
  if (inner.calls && !inner.sleeps && (!s->call[0] || c_only_checks(s->call)))
    memcpy(s->call, inner.call, sizeof s->call);
}

/* Of a loop: whether nothing in it calls anything but one statement that sleeps. */
static void note_alone(struct c_reader *r, size_t statement)
{
  struct c_file *f = r->file;
  size_t sleeping = C_NONE, calling = 0;
  for (size_t i = statement + 1; i < f->statements; i++) {
    if (f->statement[i].sleeps)
      sleeping = i;
    else
      calling += f->statement[i].calls;
  }
  if (sleeping != C_NONE && !calling)
    f->statement[sleeping].alone = true;
}

static void take_parentheses(struct c_reader *r, size_t statement)
{
  const size_t from = r->at;
  if (token(r, r->at)->kind != '(')
    return;
  r->at = behind_pair(r, r->at);
  note_calls(r, statement, from, r->at);
}

static void take_if(struct c_reader *r, size_t statement, struct c_around around)
{
  r->at++;
  take_parentheses(r, statement);
  take_body(r, statement, around);
  if (!r->failed && is_word(r, r->at, "else")) {
    r->at++;
    take_body(r, statement, around);
  }
}

static void take_loop(struct c_reader *r, size_t statement, struct c_around around)
{
  const bool counts = is_word(r, r->at, "for"), later = is_word(r, r->at, "do");
  around.counts = (around.loops ? around.counts : true) && counts && token(r, r->at + 2)->kind != ';';
  around.loops = true;
  r->at++;
  if (!later)
    take_parentheses(r, statement);
  take_body(r, statement, around);
  if (later && !r->failed) {
    r->at++; /* while */
    take_parentheses(r, statement);
    r->at++; /* ; */
  }
  if (!r->failed)
    note_alone(r, statement);
}

static void take_try(struct c_reader *r, size_t statement, struct c_around around)
{
  r->at++;
  take_body(r, statement, around);
  while (!r->failed && is_word(r, r->at, "catch")) {
    r->at++;
    take_parentheses(r, statement);
    take_body(r, statement, around);
  }
}

/* The lambda is a thread's, or has a name: "auto worker = [&] {". */
static bool is_lambda_of_its_own(const struct c_reader *r, size_t from, size_t bracket)
{
  static const char *const takers[] = {"thread", "jthread", "async", "emplace_back", "push_back", NULL};
  bool taken = bracket > from + 1 && token(r, bracket - 1)->kind == '=';
  for (size_t i = from; i < bracket && !taken; i++)
    taken = token(r, i)->kind == 'a' && is_one_of(r->text + token(r, i)->at, token(r, i)->length, takers);
  return taken;
}

/* What lambdas of the statement do are statements of functions of their own. */
static void take_lambdas(struct c_reader *r, size_t from, size_t to)
{
  for (size_t i = from; i < to && !r->failed; i++) {
    const size_t bracket = lambda_of(r, i);
    if (bracket == C_NONE || !is_lambda_of_its_own(r, from, bracket))
      continue;
    r->at = i;
    take_function(r, token(r, bracket - 1)->kind == '=' ? bracket - 2 : bracket);
    i = r->at - 1;
  }
  r->at = to;
}

/* Up to its ';', or, of a macro that stands for a loop, its body. */
static void take_plain(struct c_reader *r, size_t statement, struct c_around around)
{
  const size_t from = r->at;
  while (!r->failed && r->at < r->tokens && token(r, r->at)->kind != ';' && token(r, r->at)->kind != '}') {
    const char c = token(r, r->at)->kind;
    const bool block = c == '{' && r->at > from && token(r, r->at - 1)->kind == ')' && lambda_of(r, r->at) == C_NONE;
    if (block) {
      r->file->statement[statement].kind = C_CONTROL;
      note_calls(r, statement, from + 1, r->at);
      around.loops = true;
      around.counts = false;
      take_list(r, around);
      return;
    }
    r->at = c == '(' || c == '[' || c == '{' ? behind_pair(r, r->at) : r->at + 1;
  }
  if (token(r, r->at)->kind == ';')
    r->at++;
  note_calls(r, statement, from, r->at);
  if (!r->failed && is_only_sleep(r, from, r->at))
    r->file->statement[statement].sleeps = true;
  if (r->cxx && !r->failed)
    take_lambdas(r, from, r->at);
}

/* "case 1:", "default:", "out:". */
static void skip_labels(struct c_reader *r)
{
  for (;;) {
    if (is_word(r, r->at, "case")) {
      for (r->at++; r->at < r->tokens && token(r, r->at)->kind != ':'; r->at++)
        r->at = token(r, r->at)->kind == 'a' ? behind_scopes(r, r->at) : r->at;
      r->at++;
    } else if (token(r, r->at)->kind == 'a' && token(r, r->at + 1)->kind == ':' && token(r, r->at + 2)->kind != ':')
      r->at += 2;
    else
      return;
  }
}

/* C_NONE: it was a list, or nothing. */
static size_t take_statement(struct c_reader *r, struct c_around around)
{
  static const char *const jumps[] = {"return", "break", "continue", "goto", "throw", NULL};
  skip_labels(r);
  if (r->failed || r->at >= r->tokens || r->depth == DEPTH_MOST || token(r, r->at)->kind == '}') {
    r->failed |= r->depth == DEPTH_MOST;
    return C_NONE;
  }
  r->depth++;
  size_t statement = C_NONE;
  const struct c_token first = *token(r, r->at);
  if (first.kind == '{') {
    take_list(r, around);
  } else if ((statement = new_statement(r, around)) != C_NONE) {
    struct c_statement *s = &r->file->statement[statement];
    const bool loop = is_word(r, r->at, "while") || is_word(r, r->at, "for") || is_word(r, r->at, "do");
    const bool branch = is_word(r, r->at, "if") || is_word(r, r->at, "switch");
    const bool tries = r->cxx && is_word(r, r->at, "try");
    s->kind = loop || branch || tries                                                   ? C_CONTROL
              : first.kind == 'a' && is_one_of(r->text + first.at, first.length, jumps) ? C_JUMP
                                                                                        : C_PLAIN;
    if (loop)
      take_loop(r, statement, around);
    else if (branch)
      take_if(r, statement, around);
    else if (tries)
      take_try(r, statement, around);
    else
      take_plain(r, statement, around);
    end_statement(r, statement);
  }
  r->depth--;
  return statement;
}

/* ---- functions ---- */

/* The name before the parenthesis that is closed right before the brace; C_NONE: it is none of a function. */
static size_t function_name(const struct c_reader *r, size_t brace)
{
  while (r->cxx && brace && (is_word(r, brace - 1, "noexcept") || is_word(r, brace - 1, "const")))
    brace--;
  if (!brace || token(r, brace - 1)->kind != ')')
    return C_NONE;
  const size_t open = before_pair(r, brace - 1);
  return open && token(r, open - 1)->kind == 'a' ? open - 1 : C_NONE;
}

static bool opens_namespace(const struct c_reader *r, size_t brace)
{
  size_t i = brace;
  if (brace > 1 && token(r, brace - 1)->kind == '"')
    return is_word(r, brace - 2, "extern");
  while (i && (token(r, i - 1)->kind == ':' || (is_plain_name(r, i - 1) && !is_word(r, i - 1, "namespace"))))
    i--;
  return r->cxx && i && is_word(r, i - 1, "namespace");
}

static bool declares_thread(const struct c_reader *r, size_t i)
{
  return r->cxx && (is_word(r, i, "thread") || is_word(r, i, "jthread")) &&
         (is_plain_name(r, i + 1) || token(r, i + 1)->kind == '(' || token(r, i + 1)->kind == '{');
}

static void look_at_body(struct c_reader *r, struct c_function *f, size_t brace)
{
  const size_t end = behind_pair(r, brace);
  size_t sleeps = 0, calls = 0;
  for (size_t i = brace; i < end; i++) {
    const struct c_token *t = token(r, i);
    const bool call = is_call(r, i), sleep = call && is_sleep(r, i);
    f->creates |= (call && creates_threads(r->text + t->at, t->length)) || declares_thread(r, i);
    calls += call;
    sleeps += sleep;
    i = sleep ? behind_pair(r, i + 1) - 1 : i;
  }
  f->sleeps = sleeps;
  f->only_sleeps = sleeps && sleeps == calls && strcmp(f->name, "main") != 0 && !f->creates;
}

/* From its brace. */
static void take_function(struct c_reader *r, size_t name)
{
  struct c_file *file = r->file;
  const size_t outer = r->function;
  const unsigned outer_conditions = r->conditions;
  struct c_function *f = one_more(r, (void **)&file->function, file->functions, &r->function_room, sizeof *f);
  if (!f)
    return;
  *f = (struct c_function){.begin = token(r, r->at)->at};
  copy_name(r, name, f->name);
  look_at_body(r, f, r->at);
  const size_t own = r->function = file->functions++;
  r->conditions = token(r, r->at)->conditions;
  take_list(r, (struct c_around){0});
  r->function = outer;
  r->conditions = outer_conditions;
  if (!r->failed)
    file->function[own].end = token(r, r->at - 1)->at + 1;
}

static void take_functions(struct c_reader *r)
{
  while (!r->failed && r->at < r->tokens) {
    const size_t name = token(r, r->at)->kind == '{' ? function_name(r, r->at) : C_NONE;
    if (name != C_NONE)
      take_function(r, name);
    else if (token(r, r->at)->kind == '{' && opens_namespace(r, r->at))
      r->at++;
    else if (token(r, r->at)->kind == '{' || token(r, r->at)->kind == '(')
      r->at = behind_pair(r, r->at);
    else
      r->at++;
  }
}

/* Thread bodies are handed on by their names and called by nobody. */
static void count_callers(struct c_reader *r)
{
  for (size_t k = 0; k < r->file->functions; k++) {
    struct c_function *f = &r->file->function[k];
    for (size_t i = 0; i < r->tokens; i++) {
      const size_t at = token(r, i)->at;
      bool in_function = false;
      for (size_t other = 0; other < r->file->functions && !in_function; other++)
        in_function = at > r->file->function[other].begin && at < r->file->function[other].end;
      f->callers += in_function && is_call(r, i) && is_word(r, i, f->name);
    }
  }
}

bool c_file_read(struct c_file *file, const char *text, size_t length, bool cxx)
{
  struct c_reader r = {.text = text, .length = length, .file = file, .cxx = cxx, .directive = C_NONE};
  *file = (struct c_file){0};
  take_tokens(&r);
  if (!r.failed)
    take_functions(&r);
  if (!r.failed)
    count_callers(&r);
  free(r.token);
  free(r.sleeper);
  if (r.failed)
    c_file_free(file);
  return !r.failed;
}

void c_file_free(struct c_file *file)
{
  free(file->statement);
  free(file->function);
  *file = (struct c_file){0};
}
