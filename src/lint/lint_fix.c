/* SPDX-License-Identifier: Apache-2.0
 *
 * Mended lines; see the header. The source is looked at as text, and nothing is proposed unless it looks as expected.
 */
#include "lint/lint_fix.h"
#include "file/input_file.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A line without its end, malloc'ed; NULL: there is none. */
static char *line_of_file(const char *path, uint32_t line)
{
  char why[256], *text = NULL;
  size_t room = 0;
  uint32_t number = 0;
  FILE *in = input_open(path, why, sizeof why);
  while (in && number < line && input_line(&text, &room, in, NULL) >= 0)
    number++;
  if (in)
    fclose(in);
  if (number < line || !line) {
    free(text);
    return NULL;
  }
  text[strcspn(text, "\r\n")] = '\0';
  return text;
}

static bool is_word_character(char c)
{
  return isalnum((unsigned char)c) || c == '_';
}

/* Where the word stands in the text as a word; NULL: nowhere. */
static const char *find_word(const char *text, const char *word)
{
  const size_t length = strlen(word);
  for (const char *at = strstr(text, word); at; at = strstr(at + 1, word))
    if ((at == text || !is_word_character(at[-1])) && !is_word_character(at[length]))
      return at;
  return NULL;
}

/* Takes the line as it was. */
static void put_fix(struct findings *all, struct lint_finding *f, uint32_t line, char *old, char *fixed)
{
  if (!fixed) {
    free(old);
    return;
  }
  free(f->fix_old);
  free(f->fix_new);
  f->fix_line = line;
  f->fix_old = old;
  f->fix_new = fixed;
  all->failed |= !old;
}

void fix_word(struct findings *all, struct lint_finding *f, uint32_t line, const char *word, const char *by)
{
  char *old = line_of_file(f->file, line);
  const char *at = old ? find_word(old, word) : NULL;
  const bool once = at && !find_word(at + strlen(word), word) && !find_word(old, "else") && !strstr(old, "/*");
  put_fix(all, f, line, old, once ? finding_text(all, "%.*s%s%s", (int)(at - old), old, by, at + strlen(word)) : NULL);
}

/* The length of `name(…)` at the beginning of a text; 0: it is not whole there. */
static int call_length(const char *text)
{
  const char *at = strchr(text, '(');
  int depth = 0;
  for (; at && *at; at++) {
    depth += *at == '(';
    depth -= *at == ')';
    if (!depth)
      return (int)(at + 1 - text);
  }
  return 0;
}

void fix_call_before(struct findings *all, struct lint_finding *f, uint32_t line, const char *call, uint32_t written)
{
  char *old = line_of_file(f->file, line), *other = line_of_file(f->file, written);
  const char *at = other ? find_word(other, call) : NULL;
  const int length = at ? call_length(at) : 0;
  const size_t indent = old ? strspn(old, " \t") : 0, end = old ? strlen(old) : 0;
  const bool whole = old && !strncmp(old + indent, "return", 6) && !is_word_character(old[indent + 6]) &&
                     old[end - 1] == ';' && strchr(old, ';') == old + end - 1;
  put_fix(all, f, line, old,
          whole && length ? finding_text(all, "%.*s{ %.*s; %s }", (int)indent, old, length, at, old + indent) : NULL);
  free(other);
}
