/* SPDX-License-Identifier: Apache-2.0
 *
 * Tokens of a text; see tokens.h.
 */
#include "language/tokens.h"
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* The longest that fits is taken: longer ones stand first. */
static const char *const signs[] = {"[*]", "<*>", "(*)", "->", "=>", "&&", "||", "==", "!=", "<=", ">=",
                                    "[]",  "<>",  "..",  "+=", "-=", "++", "--", "::", "<<", ">>"};
static const char single[] = "()[]{}<>,;:.!&|~*+?=@#-/%^$";

static bool is_name_begin(char c)
{
  return isalpha((unsigned char)c) || c == '_';
}

static bool is_name(char c)
{
  return isalnum((unsigned char)c) || c == '_';
}

static unsigned column_of(const struct tokens *t, const char *at)
{
  return (unsigned)(at - t->line_begin) + 1;
}

bool tokens_failed(const struct tokens *t)
{
  return t->error.line;
}

void tokens_fail(struct tokens *t, const struct token *at, const char *format, ...)
{
  if (tokens_failed(t))
    return;
  va_list list;
  va_start(list, format);
  vsnprintf(t->error.text, sizeof t->error.text, format, list);
  va_end(list);
  t->error.line = at->line;
  t->error.column = at->column;
  t->at += strlen(t->at);
  t->next.kind = TOKEN_END;
}

/* ---- reading ---- */

static void begin_line(struct tokens *t, const char *at)
{
  t->line++;
  t->line_begin = at;
}

static const char *comment_mark(const struct tokens *t)
{
  if (t->comments == COMMENTS_AFTER_HASH)
    return *t->at == '#' ? "#" : NULL;
  if (!strncmp(t->at, "//", 2))
    return "//";
  return strncmp(t->at, "/*", 2) ? NULL : "/*";
}

/* False when a comment has no end. */
static bool skip_comment(struct tokens *t, const char *mark)
{
  const char *end = strcmp(mark, "/*") ? "\n" : "*/";
  const char *found = strstr(t->at + strlen(mark), end);
  if (!found && *end == '*')
    return false;
  const char *to = !found ? t->at + strlen(t->at) : *end == '*' ? found + 2 : found;
  for (; t->at < to; t->at++)
    if (*t->at == '\n')
      begin_line(t, t->at + 1);
  return true;
}

/* False when a comment has no end. */
static bool skip_space(struct tokens *t)
{
  for (const char *mark;;) {
    if (isspace((unsigned char)*t->at)) {
      if (*t->at++ == '\n')
        begin_line(t, t->at);
    } else if ((mark = comment_mark(t))) {
      if (!skip_comment(t, mark))
        return false;
    } else {
      return true;
    }
  }
}

static size_t sign_length(const char *at)
{
  for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
    if (!strncmp(at, signs[i], strlen(signs[i])))
      return strlen(signs[i]);
  return strchr(single, *at) ? 1 : 0;
}

static void read_string(struct tokens *t)
{
  size_t n = strcspn(t->at + 1, "\"\n");
  if (t->at[n + 1] != '"') {
    tokens_fail(t, &t->next, "this string has no end on its line");
    return;
  }
  t->next.kind = TOKEN_STRING;
  t->next.text = t->at + 1;
  t->next.length = n;
  t->at += n + 2;
}

static void read_word(struct tokens *t, enum token_kind kind)
{
  size_t n = 1;
  while (is_name(t->at[n]))
    n++;
  t->next.kind = kind;
  t->next.length = n;
  t->at += n;
}

static void read_sign(struct tokens *t)
{
  size_t n = sign_length(t->at);
  if (!n) {
    if (isprint((unsigned char)*t->at))
      tokens_fail(t, &t->next, "the character '%c' means nothing here", *t->at);
    else
      tokens_fail(t, &t->next, "the byte 0x%02x means nothing here", (unsigned char)*t->at);
    return;
  }
  t->next.kind = TOKEN_SIGN;
  t->next.length = n;
  t->at += n;
}

static void advance(struct tokens *t)
{
  bool ended = skip_space(t);
  t->next = (struct token){.kind = TOKEN_END, .text = t->at, .line = t->line, .column = column_of(t, t->at)};
  if (!ended)
    tokens_fail(t, &t->next, "this comment has no end");
  else if (*t->at == '"')
    read_string(t);
  else if (is_name_begin(*t->at))
    read_word(t, TOKEN_NAME);
  else if (isdigit((unsigned char)*t->at))
    read_word(t, TOKEN_NUMBER);
  else if (*t->at)
    read_sign(t);
}

void tokens_begin(struct tokens *t, const char *text, enum comments comments)
{
  *t = (struct tokens){.at = text, .line_begin = text, .line = 1, .comments = comments};
  advance(t);
}

/* ---- taking ---- */

bool token_is(const struct token *token, const char *text)
{
  return (token->kind == TOKEN_NAME || token->kind == TOKEN_SIGN) && token->length == strlen(text) &&
         !strncmp(token->text, text, token->length);
}

const char *token_copy(const struct token *token, char *text, size_t size)
{
  snprintf(text, size, "%.*s", (int)token->length, token->text);
  return text;
}

struct token tokens_take(struct tokens *t)
{
  struct token taken = t->next;
  if (!tokens_failed(t))
    advance(t);
  return taken;
}

bool tokens_next_is(const struct tokens *t, const char *text)
{
  return token_is(&t->next, text);
}

bool tokens_accept(struct tokens *t, const char *text)
{
  if (!tokens_next_is(t, text))
    return false;
  tokens_take(t);
  return true;
}

void tokens_unexpected(struct tokens *t, const char *what)
{
  char found[40];
  if (t->next.kind == TOKEN_END)
    tokens_fail(t, &t->next, "expected %s, found the end of the text", what);
  else
    tokens_fail(t, &t->next, "expected %s, found \"%s\"", what, token_copy(&t->next, found, sizeof found));
}

bool tokens_expect(struct tokens *t, const char *text)
{
  char quoted[40];
  if (tokens_accept(t, text))
    return true;
  snprintf(quoted, sizeof quoted, "\"%s\"", text);
  tokens_unexpected(t, quoted);
  return false;
}

struct token tokens_name(struct tokens *t, const char *what)
{
  if (t->next.kind != TOKEN_NAME)
    tokens_unexpected(t, what);
  return tokens_take(t);
}

struct token tokens_raw(struct tokens *t, char until)
{
  struct token raw = t->next;
  const char *from = raw.text, *at = from;
  if (tokens_failed(t))
    return raw;
  while (*at && *at != until && *at != '\n')
    at++;
  raw.length = (size_t)(at - from);
  while (raw.length && isspace((unsigned char)from[raw.length - 1]))
    raw.length--;
  t->at = at;
  advance(t);
  return raw;
}

struct token tokens_block(struct tokens *t)
{
  struct token block = t->next;
  unsigned open = 1;
  if (!tokens_next_is(t, "{")) {
    tokens_unexpected(t, "\"{\"");
    return block;
  }
  block.text = t->at;
  for (; *t->at && open; t->at++) {
    open += *t->at == '{';
    open -= *t->at == '}';
    if (*t->at == '\n')
      begin_line(t, t->at + 1);
  }
  if (open) {
    tokens_fail(t, &block, "this \"{\" has no \"}\"");
    return block;
  }
  block.length = (size_t)(t->at - block.text) - 1;
  advance(t);
  return block;
}
