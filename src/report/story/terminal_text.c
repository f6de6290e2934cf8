/* SPDX-License-Identifier: Apache-2.0
 *
 * Text on a terminal, see the header.
 */
#include "report/story/terminal_text.h"

#include "report/story/story.h"
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Length of the UTF-8 character at text, 0 when it is none or a control character. */
static size_t character(const unsigned char *text)
{
  const unsigned char c = text[0];
  if (c < 0x80)
    return c >= ' ' && c != 0x7f;
  const size_t length = c < 0xc2 ? 0 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : c < 0xf5 ? 4 : 0;
  for (size_t i = 1; i < length; i++)
    if ((text[i] & 0xc0) != 0x80)
      return 0;
  if (c == 0xc2 && text[1] < 0xa0) /* control characters, the second set */
    return 0;
  if ((c == 0xe0 && text[1] < 0xa0) || (c == 0xed && text[1] >= 0xa0) || (c == 0xf0 && text[1] < 0x90) ||
      (c == 0xf4 && text[1] >= 0x90))
    return 0;
  return length;
}

/* The next character as a terminal may have it, into piece; returns its length and moves *text behind it. */
static size_t escape_character(const unsigned char **text, char piece[8])
{
  const size_t length = character(*text);
  if (length) {
    memcpy(piece, *text, length);
    *text += length;
    return length;
  }
  const unsigned char c = *(*text)++;
  return (size_t)(c == '\n'   ? snprintf(piece, 8, "\\n")
                  : c == '\t' ? snprintf(piece, 8, "\\t")
                              : snprintf(piece, 8, "\\x%02x", c));
}

void print_escaped(FILE *out, const char *text)
{
  const unsigned char *in = (const unsigned char *)text;
  while (*in) {
    char piece[8];
    fwrite(piece, 1, escape_character(&in, piece), out);
  }
}

void escape_text(const char *text, char *out, size_t n)
{
  size_t used = 0;
  const unsigned char *in = (const unsigned char *)text;
  while (*in) {
    char piece[8];
    const size_t length = escape_character(&in, piece);
    if (used + length >= n)
      break;
    memcpy(out + used, piece, length);
    used += length;
  }
  out[used] = '\0';
}

static unsigned count_columns(const char *escaped)
{
  unsigned n = 0;
  for (; *escaped; escaped++)
    n += ((unsigned char)*escaped & 0xc0) != 0x80;
  return n;
}

unsigned text_width(const char *text)
{
  char escaped[1024];
  escape_text(text, escaped, sizeof escaped);
  return count_columns(escaped);
}

/* The start of the character so many columns further on. */
static const char *after_columns(const char *text, unsigned columns)
{
  while (columns-- > 0 && *text)
    do
      text++;
    while (((unsigned char)*text & 0xc0) == 0x80);
  return text;
}

void leave_out_middle(const char *text, unsigned columns, char *out, size_t n)
{
  char escaped[1024];
  escape_text(text, escaped, sizeof escaped);
  const unsigned width = count_columns(escaped);
  if (width <= columns || columns < 3) {
    snprintf(out, n, "%s", escaped);
    return;
  }
  const unsigned start = (columns - 1) / 2, end = columns - 1 - start;
  snprintf(out, n, "%.*s…%s", (int)(after_columns(escaped, start) - escaped), escaped,
           after_columns(escaped, width - end));
}

void append(char *out, size_t n, const char *format, ...)
{
  const size_t used = strnlen(out, n);
  va_list arguments;
  if (used + 1 >= n)
    return;
  va_start(arguments, format);
  vsnprintf(out + used, n - used, format, arguments);
  va_end(arguments);
}

static bool is_printable(const char *word)
{
  for (size_t length; *word; word += length)
    if (!(length = character((const unsigned char *)word)))
      return false;
  return true;
}

/* $'…': bash, zsh and POSIX shells of 2024 on. */
static void shell_escaped(const char *word, char *out, size_t n)
{
  const unsigned char *in = (const unsigned char *)word;
  append(out, n, "$'");
  while (*in) {
    char piece[8];
    if (*in == '\'' || *in == '\\')
      append(out, n, "\\");
    const int length = (int)escape_character(&in, piece);
    append(out, n, "%.*s", length, piece);
  }
  append(out, n, "'");
}

void shell_word(const char *word, char *out, size_t n)
{
  static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./+:,@%";
  out[0] = '\0';
  if (word[0] && strspn(word, plain) == strlen(word)) {
    snprintf(out, n, "%s", word);
    return;
  }
  if (!is_printable(word)) {
    shell_escaped(word, out, n);
    return;
  }
  append(out, n, "'");
  for (; *word; word++)
    append(out, n, *word == '\'' ? "'\\%c'" : "%c", *word);
  append(out, n, "'");
}

void print_shell_word(FILE *out, const char *word)
{
  const size_t size = 4 * strlen(word) + 4; /* \x1b or '\'' for each byte, $'' around them */
  char *text = malloc(size);
  if (text) {
    shell_word(word, text, size);
    fputs(text, out);
  }
  free(text);
}

static const char *style_code(unsigned style)
{
  static const char *const threads[] = {"\033[36m", "\033[35m", "\033[34m", "\033[32m",
                                        "\033[33m", "\033[96m", "\033[95m"};
  switch (style) {
  case STYLE_PLAIN:
    return "";
  case STYLE_BOLD:
    return "\033[1m";
  case STYLE_DIM:
    return "\033[2m";
  case STYLE_BAD:
    return "\033[1;31m";
  case STYLE_GOOD:
    return "\033[32m";
  case STYLE_REMARK:
    return "\033[1;33m";
  default:
    return threads[(style - STYLE_THREAD) % (sizeof threads / sizeof *threads)];
  }
}

void line_begin(struct line *line, FILE *out, unsigned width, bool colour)
{
  *line = (struct line){.out = out, .left = width, .colour = colour};
}

/* Cuts a text to so many columns, the last one an ellipsis. */
static void cut(char *text, size_t size, unsigned columns)
{
  static const char mark[] = "…";
  char *at = text;
  for (unsigned n = 0; n + 1 < columns && *at; n++)
    do
      at++;
    while (((unsigned char)*at & 0xc0) == 0x80);
  if ((size_t)(at - text) + sizeof mark <= size)
    memcpy(at, mark, sizeof mark);
  else
    *at = '\0';
}

void line_put(struct line *line, unsigned style, const char *text, unsigned pad)
{
  char escaped[1024];
  escape_text(text, escaped, sizeof escaped);
  unsigned columns = count_columns(escaped);
  const unsigned fill = pad > columns ? pad - columns : pad ? 1 : 0;
  if (columns && line->left > line->blanks) {
    if (columns > line->left - line->blanks) {
      columns = line->left - line->blanks;
      cut(escaped, sizeof escaped, columns);
    }
    const bool colour = line->colour && style != STYLE_PLAIN;
    fprintf(line->out, "%*s%s%s%s", (int)line->blanks, "", colour ? style_code(style) : "", escaped,
            colour ? "\033[0m" : "");
    line->left -= line->blanks + columns;
    line->blanks = 0;
  } else if (columns) {
    line->left = 0;
  }
  line->blanks += fill;
}

void line_end(struct line *line)
{
  fputc('\n', line->out);
}

void print_wrapped(FILE *out, const char *text, unsigned indent, unsigned width)
{
  unsigned column = 0;
  bool first = true;
  char escaped[2048];
  escape_text(text, escaped, sizeof escaped);
  for (const char *word = escaped + strspn(escaped, " "); *word; word += strspn(word, " ")) {
    const size_t bytes = strcspn(word, " ");
    unsigned columns = 0;
    for (size_t i = 0; i < bytes; i++)
      columns += ((unsigned char)word[i] & 0xc0) != 0x80;
    if (!first && column + 1 + columns > width) {
      fprintf(out, "\n%*s", (int)indent, "");
      column = indent;
    } else if (!first) {
      fputc(' ', out);
      column++;
    } else {
      column = indent;
    }
    fwrite(word, 1, bytes, out);
    column += columns;
    first = false;
    word += bytes;
  }
  fputc('\n', out);
}
