/* SPDX-License-Identifier: Apache-2.0
 *
 * Statements of a source, by a parser that goes down to the one that is looked for; see pin_statement.h.
 */
#include "report/pin/pin_statement.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- without comments ---- */

/* Behind a text in quotes that begins there. */
static size_t quoted_end(const char *text, size_t length, size_t at)
{
  const char quote = text[at];
  for (at++; at < length && text[at] != quote && text[at] != '\n'; at++)
    at += text[at] == '\\' && at + 1 < length;
  return at < length ? at + 1 : length;
}

static size_t comment_end(const char *text, size_t length, size_t at)
{
  const bool line = text[at + 1] == '/';
  for (at += 2; at < length; at++)
    if (line ? text[at] == '\n' : text[at] == '/' && text[at - 1] == '*')
      return line ? at : at + 1;
  return length;
}

/* A line of the preprocessor goes on behind a backslash. */
static size_t directive_end(const char *text, size_t length, size_t at)
{
  while (at < length && (text[at] != '\n' || text[at - 1] == '\\'))
    at++;
  return at;
}

static void blank(char *code, size_t from, size_t to, char with)
{
  for (; from < to; from++)
    if (code[from] != '\n')
      code[from] = with;
}

static bool is_digit_separator(const char *code, size_t at)
{
  return code[at] == '\'' && at && isalnum((unsigned char)code[at - 1]);
}

char *source_without_comments(const char *text, size_t length)
{
  char *code = malloc(length + 1);
  if (!code)
    return NULL;
  memcpy(code, text, length);
  code[length] = 0;
  bool begins_line = true;
  for (size_t at = 0; at < length;) {
    size_t end = at + 1;
    if (text[at] == '/' && at + 1 < length && (text[at + 1] == '/' || text[at + 1] == '*')) {
      end = comment_end(text, length, at);
      blank(code, at, end, ' ');
    } else if ((text[at] == '"' || text[at] == '\'') && !is_digit_separator(text, at)) {
      end = quoted_end(text, length, at);
      blank(code, at + 1, end - 1, 'x');
    } else if (text[at] == '#' && begins_line) {
      end = directive_end(text, length, at);
      blank(code, at, end, ' ');
    }
    begins_line = text[at] == '\n' || (begins_line && isspace((unsigned char)text[at]));
    at = end;
  }
  return code;
}

/* ---- words ---- */

struct reader {
  const char *code;
  size_t length, place;
  struct source_statement *out;
  bool found;
  unsigned depth;
};

#define DEPTH 200 /* of blocks in each other */

static bool is_word(char c)
{
  return isalnum((unsigned char)c) || c == '_';
}

static size_t skip_blanks(const struct reader *r, size_t at)
{
  while (at < r->length && isspace((unsigned char)r->code[at]))
    at++;
  return at;
}

static size_t word_end(const struct reader *r, size_t at)
{
  while (at < r->length && is_word(r->code[at]))
    at++;
  return at;
}

static bool is_listed_word(const struct reader *r, size_t at, const char *const *list)
{
  const size_t n = word_end(r, at) - at;
  for (; *list; list++)
    if (n && strlen(*list) == n && !memcmp(r->code + at, *list, n))
      return true;
  return false;
}

static bool has_word(const struct reader *r, size_t at, const char *word)
{
  return is_listed_word(r, at, (const char *const[]){word, NULL});
}

/* Behind the bracket that closes the one there. */
static size_t closed(const struct reader *r, size_t at)
{
  size_t open = 0;
  for (; at < r->length; at++) {
    if (strchr("([{", r->code[at]) && r->code[at])
      open++;
    else if (strchr(")]}", r->code[at]) && r->code[at] && --open == 0)
      return at + 1;
  }
  return r->length;
}

static bool is_in(size_t place, size_t from, size_t to)
{
  return place >= from && place < to;
}

/* ---- statements ---- */

static void find(struct reader *r, struct source_statement s)
{
  if (r->found)
    return;
  r->found = true;
  *r->out = s;
}

static size_t read_statement(struct reader *r, size_t at, bool bare);

static size_t read_block(struct reader *r, size_t at)
{
  const size_t end = closed(r, at);
  if (!is_in(r->place, at, end) || ++r->depth > DEPTH)
    return end;
  for (at = skip_blanks(r, at + 1); !r->found && at + 1 < end; at = skip_blanks(r, at))
    at = read_statement(r, at, false);
  return end;
}

/* `case 1:`, `again:` and what is like one for classes. */
static size_t label_end(const struct reader *r, size_t at)
{
  static const char *const cases[] = {"case", "default", NULL};
  const bool is_case = is_listed_word(r, at, cases);
  size_t end = word_end(r, at);
  if (end == at)
    return at;
  if (is_case)
    while (end < r->length && !strchr(":;{}", r->code[end]))
      end++;
  end = skip_blanks(r, end);
  return end < r->length && r->code[end] == ':' && r->code[end + 1] != ':' ? end + 1 : at;
}

static const char *const types[] = {"const",    "static",   "volatile", "register", "struct",    "union",
                                    "enum",     "auto",     "_Atomic",  "unsigned", "signed",    "int",
                                    "char",     "short",    "long",     "float",    "double",    "void",
                                    "bool",     "_Bool",    "size_t",   "using",    "typedef",   "__typeof__",
                                    "uint64_t", "uint32_t", "int64_t",  "typename", "constexpr", NULL};

/* `node *n = …;`, `node_t n;`: a word, maybe stars, another word. */
static bool is_declaration(const struct reader *r, size_t at, size_t end)
{
  if (is_listed_word(r, at, types))
    return true;
  size_t next = word_end(r, at);
  while (next + 1 < end && r->code[next] == ':' && r->code[next + 1] == ':')
    next = word_end(r, next + 2);
  if (next < end && r->code[next] == '<')
    while (next < end && r->code[next] != '=' && r->code[next] != ';' && r->code[next++] != '>')
      ;
  const size_t word = next;
  while (next < end && (isspace((unsigned char)r->code[next]) || r->code[next] == '*' || r->code[next] == '&'))
    next++;
  const size_t name_end = skip_blanks(r, word_end(r, next));
  return word > at && next > word && word_end(r, next) > next && name_end < end &&
         strchr("=;,[({:", r->code[name_end]) && !(r->code[name_end] == '=' && r->code[name_end + 1] == '=');
}

/* The value of `return value;`. */
static size_t jump_value(const struct reader *r, size_t at)
{
  static const char *const jumps[] = {"return", "break", "continue", "goto", "throw", "co_return", NULL};
  return is_listed_word(r, at, jumps) ? skip_blanks(r, word_end(r, at)) : at;
}

/* An expression or a declaration; or a function with its body, also that of a lambda in an expression. */
static size_t read_simple(struct reader *r, size_t at, bool bare)
{
  size_t end = at;
  for (; end < r->length && r->code[end] != ';' && r->code[end] != '}'; end++) {
    if (r->code[end] == '{' || r->code[end] == '(' || r->code[end] == '[') {
      const size_t past = closed(r, end);
      const size_t body = r->code[end] == '{' ? end : end + strcspn(r->code + end, "{");
      const char *stop = body < past ? memchr(r->code + body, ';', past - body) : NULL;
      if (stop && is_in(r->place, body, past))
        read_block(r, body);
      if (r->found)
        return past;
      const size_t next = skip_blanks(r, past);
      if (r->code[end] == '{' && next < r->length && (is_word(r->code[next]) || r->code[next] == '}'))
        return past;
      end = past - 1;
    }
  }
  end += end < r->length && r->code[end] == ';';
  const size_t value = jump_value(r, at);
  if (end > at && r->code[end - 1] == ';' && r->place < end)
    find(r, (struct source_statement){.kind = value > at                   ? STATEMENT_JUMP
                                              : is_declaration(r, at, end) ? STATEMENT_DECLARATION
                                                                           : STATEMENT_SIMPLE,
                                      .from = at,
                                      .to = end,
                                      .value_from = value,
                                      .value_to = end - 1,
                                      .bare = bare});
  return end > at ? end : at + 1;
}

/* The part of the header of a for that the place is in. */
static void for_part(const struct reader *r, size_t *from, size_t *to)
{
  for (size_t at = *from, begin = *from; at <= *to; at++) {
    if (at < *to && (r->code[at] == '(' || r->code[at] == '[' || r->code[at] == '{')) {
      at = closed(r, at) - 1;
      continue;
    }
    if (at < *to && r->code[at] != ';')
      continue;
    if (r->place <= at || at == *to) {
      *from = skip_blanks(r, begin);
      *to = at;
      return;
    }
    begin = at + 1;
  }
}

static void find_condition(struct reader *r, enum source_statement_kind kind, size_t from, size_t open, size_t past,
                           bool bare)
{
  struct source_statement s = {
      .kind = kind, .from = from, .to = past, .value_from = open + 1, .value_to = past - 1, .bare = bare};
  if (!is_in(r->place, from, past))
    return;
  if (has_word(r, from, "for"))
    for_part(r, &s.value_from, &s.value_to);
  find(r, s);
}

/* What an if or a loop makes happen. */
static size_t read_body(struct reader *r, size_t at)
{
  at = skip_blanks(r, at);
  return read_statement(r, at, at < r->length && r->code[at] != '{');
}

/* `if (…) …`, `while (…) …`; with its parenthesis. */
static size_t read_branch(struct reader *r, size_t at, bool bare)
{
  static const char *const ifs[] = {"if", "switch", NULL};
  const enum source_statement_kind kind = is_listed_word(r, at, ifs) ? STATEMENT_IF : STATEMENT_LOOP;
  const bool is_if = has_word(r, at, "if");
  size_t open = word_end(r, at);
  while (open < r->length && r->code[open] != '(' && r->code[open] != '{' && r->code[open] != ';')
    open++;
  if (open >= r->length || r->code[open] != '(')
    return read_simple(r, at, bare);
  size_t end = closed(r, open);
  find_condition(r, kind, at, open, end, bare);
  if (r->found)
    return end;
  end = read_body(r, end);
  const size_t next = skip_blanks(r, end);
  return is_if && !r->found && has_word(r, next, "else") ? read_body(r, word_end(r, next)) : end;
}

/* `do … while (…);` */
static size_t read_do(struct reader *r, size_t at)
{
  size_t end = skip_blanks(r, read_body(r, word_end(r, at)));
  if (r->found || !has_word(r, end, "while"))
    return end;
  const size_t open = skip_blanks(r, word_end(r, end)), past = closed(r, open);
  find_condition(r, STATEMENT_LOOP, end, open, past, false);
  end = skip_blanks(r, past);
  return end < r->length && r->code[end] == ';' ? end + 1 : end;
}

static size_t read_statement(struct reader *r, size_t at, bool bare)
{
  static const char *const branches[] = {"if", "switch", "while", "for", NULL};
  for (size_t end; (end = label_end(r, at)) > at;)
    at = skip_blanks(r, end);
  if (at >= r->length)
    return r->length;
  if (r->code[at] == '{')
    return read_block(r, at);
  if (r->code[at] == ';' || r->code[at] == '}')
    return at + 1;
  if (is_listed_word(r, at, branches))
    return read_branch(r, at, bare);
  if (has_word(r, at, "do"))
    return read_do(r, at);
  return read_simple(r, at, bare);
}

bool statement_at(const char *code, size_t length, size_t place, struct source_statement *out)
{
  struct reader r = {.code = code, .length = length, .place = place, .out = out};
  while (r.place < length && (code[r.place] == ' ' || code[r.place] == '\t'))
    r.place++;
  for (size_t at = 0; at < length && !r.found && at <= r.place; at++)
    if (code[at] == '{')
      at = read_block(&r, at) - 1;
  return r.found;
}

/* ---- includes ---- */

static bool begins_with(const char *text, size_t length, const char *word)
{
  return length >= strlen(word) && !memcmp(text, word, strlen(word));
}

size_t behind_includes(const char *text, size_t length)
{
  size_t behind = 0, depth = 0;
  for (size_t at = 0; at < length;) {
    const char *end = memchr(text + at, '\n', length - at);
    const size_t next = end ? (size_t)(end - text) + 1 : length;
    size_t word = at;
    if (text[at] == '{')
      break;
    if (text[word] == '#') {
      for (word++; word < next && (text[word] == ' ' || text[word] == '\t'); word++)
        ;
      const char *directive = text + word;
      const size_t n = next - word;
      depth += begins_with(directive, n, "if");
      depth -= depth && begins_with(directive, n, "endif");
      if (!depth && begins_with(directive, n, "include"))
        behind = next;
    }
    at = next;
  }
  return behind;
}
