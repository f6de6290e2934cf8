/* SPDX-License-Identifier: Apache-2.0
 *
 * Taking assembler text apart; see statement.h.
 */
#include "assemble/statement.h"
#include <ctype.h>
#include <string.h>

bool span_is(struct span s, const char *text)
{
  return strlen(text) == s.length && memcmp(s.at, text, s.length) == 0;
}

bool span_begins(struct span s, const char *text)
{
  size_t length = strlen(text);
  return s.length >= length && memcmp(s.at, text, length) == 0;
}

bool span_has(struct span s, const char *text)
{
  return s.length && memmem(s.at, s.length, text, strlen(text)) != NULL;
}

static bool is_blank(char c)
{
  return c == ' ' || c == '\t' || c == '\r' || c == '\f';
}

struct span span_trim(struct span s)
{
  while (s.length && is_blank(*s.at))
    s.at++, s.length--;
  while (s.length && is_blank(s.at[s.length - 1]))
    s.length--;
  return s;
}

bool take_line(struct span *text, struct span *line)
{
  if (!text->length)
    return false;
  const char *end = memchr(text->at, '\n', text->length);
  size_t length = end ? (size_t)(end - text->at) : text->length;
  *line = (struct span){text->at, length};
  length += end != NULL;
  text->at += length;
  text->length -= length;
  return true;
}

static bool is_name(char c)
{
  return isalnum((unsigned char)c) || c == '_' || c == '.' || c == '$' || c == '@';
}

/* The end of what one statement of the line takes: a semicolon or a comment outside of quotes. */
static size_t statement_length(struct span line)
{
  char quote = 0;
  for (size_t i = 0; i < line.length; i++) {
    char c = line.at[i];
    if (quote) {
      if (c == '\\')
        i++;
      else if (c == quote)
        quote = 0;
    } else if (c == '"') {
      quote = c;
    } else if (c == ';' || c == '#' || (c == '/' && i + 1 < line.length && line.at[i + 1] == '*')) {
      return i;
    }
  }
  return line.length;
}

static size_t label_length(struct span s)
{
  size_t n = 0;
  while (n < s.length && is_name(s.at[n]))
    n++;
  return n && n < s.length && s.at[n] == ':' && s.at[0] != '%' ? n : 0;
}

static void skip(struct span *s, size_t n)
{
  n = n < s->length ? n : s->length;
  s->at += n;
  s->length -= n;
}

/* The rest of the line after a comment that begins it. A comment over several lines ends with its first: nobody writes
 * those into inline assembly, since the preprocessor takes them out. */
static void skip_comment(struct span *line)
{
  const char *end = line->at[0] == '/' ? memmem(line->at, line->length, "*/", 2) : NULL;
  skip(line, end ? (size_t)(end + 2 - line->at) : line->length);
}

bool take_statement(struct span *line, struct statement *out)
{
  for (;;) {
    *line = span_trim(*line);
    if (!line->length)
      return false;
    size_t length = label_length(*line);
    if (length) {
      *out = (struct statement){STATEMENT_LABEL, {line->at, length}};
      skip(line, length + 1);
      return true;
    }
    length = statement_length(*line);
    if (!length) {
      if (*line->at == ';')
        skip(line, 1);
      else
        skip_comment(line);
      continue;
    }
    struct span text = span_trim((struct span){line->at, length});
    skip(line, length);
    if (!text.length)
      continue;
    *out = (struct statement){*text.at == '.' ? STATEMENT_DIRECTIVE : STATEMENT_INSTRUCTION, text};
    return true;
  }
}

/* ---- instructions ---- */

static struct span take_word(struct span *text)
{
  *text = span_trim(*text);
  size_t n = 0;
  while (n < text->length && !is_blank(text->at[n]))
    n++;
  struct span word = {text->at, n};
  skip(text, n);
  return word;
}

static bool take_prefix(struct instruction *in, struct span word)
{
  if (span_is(word, "lock"))
    in->lock = true;
  else if (span_is(word, "rep") || span_is(word, "repe") || span_is(word, "repz") || span_is(word, "repne") ||
           span_is(word, "repnz"))
    in->repeats = true;
  else
    return span_is(word, "data16") || span_is(word, "addr32") || span_is(word, "notrack") || span_is(word, "bnd") ||
           span_is(word, "xacquire") || span_is(word, "xrelease") || *word.at == '{';
  return true;
}

/* Commas within parentheses or braces do not separate. */
static void parse_operands(struct instruction *in, struct span text)
{
  int depth = 0;
  size_t from = 0;
  text = span_trim(text);
  for (size_t i = 0; text.length && i <= text.length; i++) {
    char c = i < text.length ? text.at[i] : ',';
    depth += (c == '(' || c == '{') - (c == ')' || c == '}');
    if (i < text.length && (c != ',' || depth))
      continue;
    if (in->operands < OPERANDS)
      in->operand[in->operands++] = span_trim((struct span){text.at + from, i - from});
    from = i + 1;
  }
}

struct instruction instruction_parse(struct span text)
{
  struct instruction in = {0};
  struct span word = take_word(&text);
  while (word.length && take_prefix(&in, word))
    word = take_word(&text);
  in.mnemonic = word;
  if (word.length)
    parse_operands(&in, text);
  return in;
}

/* ---- operands ---- */

static const char *const old_registers[] = {"ax", "cx", "dx", "bx", "sp", "bp", "si", "di"};

/* rax, eax, ax, al, ah, and so on. */
static struct register_name old_register(struct span name)
{
  struct register_name r = {.class = REGISTER_GENERAL, .size = 2};
  struct span core = name;
  if (name.length == 3 && (*name.at == 'r' || *name.at == 'e')) {
    r.size = *name.at == 'r' ? 8 : 4;
    core = (struct span){name.at + 1, 2};
  }
  for (; r.number < 8; r.number++) {
    const char *known = old_registers[r.number];
    if (span_is(core, known))
      return r;
    if (r.number < 4 && name.length == 2 && name.at[0] == known[0] && (name.at[1] == 'l' || name.at[1] == 'h')) {
      r.size = 1;
      r.high = name.at[1] == 'h';
      return r;
    }
    if (r.number >= 4 && name.length == 3 && memcmp(name.at, known, 2) == 0 && name.at[2] == 'l') {
      r.size = 1;
      return r;
    }
  }
  return (struct register_name){0};
}

static bool take_number(struct span *s, unsigned *out)
{
  size_t n = 0;
  *out = 0;
  while (n < s->length && isdigit((unsigned char)s->at[n]))
    *out = *out * 10 + (unsigned)(s->at[n++] - '0');
  skip(s, n);
  return n > 0 && n < 3;
}

/* r8, r8d, r8w, r8b */
static struct register_name new_register(struct span name)
{
  struct register_name r = {.class = REGISTER_GENERAL, .size = 8};
  skip(&name, 1);
  if (!take_number(&name, &r.number) || r.number < 8 || r.number > 15 || name.length > 1)
    return (struct register_name){0};
  if (name.length)
    r.size = *name.at == 'd' ? 4 : *name.at == 'w' ? 2 : 1;
  return r;
}

static struct register_name vector_register(struct span name)
{
  struct register_name r = {.class = REGISTER_VECTOR};
  r.size = *name.at == 'x' ? 16 : *name.at == 'y' ? 32 : 64;
  skip(&name, 3);
  if (!take_number(&name, &r.number) || name.length)
    return (struct register_name){0};
  if (r.number > 15)
    r.class = REGISTER_OTHER;
  return r;
}

struct register_name register_of(struct span name)
{
  if (!name.length)
    return (struct register_name){0};
  if (span_begins(name, "xmm") || span_begins(name, "ymm") || span_begins(name, "zmm"))
    return vector_register(name);
  struct register_name r = old_register(name);
  if (r.class == REGISTER_NONE && *name.at == 'r')
    r = new_register(name);
  if (r.class == REGISTER_NONE && !span_is(name, "rip") && !span_is(name, "eip") && !span_is(name, "fs") &&
      !span_is(name, "gs"))
    r.class = REGISTER_OTHER;
  return r;
}

static struct span name_at(struct span text, size_t at)
{
  size_t n = at;
  while (n < text.length && isalnum((unsigned char)text.at[n]))
    n++;
  return (struct span){text.at + at, n - at};
}

void each_register(struct span text, void (*visit)(void *context, struct register_name r), void *context)
{
  for (size_t i = 0; i + 1 < text.length; i++)
    if (text.at[i] == '%') {
      struct register_name r = register_of(name_at(text, i + 1));
      if (r.class != REGISTER_NONE)
        visit(context, r);
    }
}

struct register_name operand_register(struct span operand)
{
  if (operand.length < 2 || *operand.at != '%')
    return (struct register_name){0};
  struct span name = name_at(operand, 1);
  if (name.length + 1 != operand.length)
    return (struct register_name){0};
  return register_of(name);
}

bool operand_is_memory(struct span operand)
{
  if (!operand.length || *operand.at == '$')
    return false;
  if (*operand.at == '*') {
    operand.at++, operand.length--;
    return operand_is_memory(operand);
  }
  return *operand.at != '%' || memchr(operand.at, ':', operand.length);
}

struct span directive_arguments(struct span line, const char *directive)
{
  line = span_trim(line);
  size_t length = strlen(directive);
  if (!span_begins(line, directive) || line.length <= length || (line.at[length] != ' ' && line.at[length] != '\t'))
    return (struct span){0};
  return span_trim((struct span){line.at + length, line.length - length});
}

bool selects_section(struct span line)
{
  static const char *const list[] = {".section", ".text", ".data", ".bss", ".previous", ".popsection"};
  struct span bare = span_trim(line);
  for (size_t i = 0; i < sizeof list / sizeof *list; i++)
    if (span_begins(bare, list[i]))
      return true;
  return false;
}
