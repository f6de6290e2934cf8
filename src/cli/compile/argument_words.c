/* SPDX-License-Identifier: Apache-2.0
 *
 * Lists of arguments; see argument_words.h.
 */
#include "cli/compile/argument_words.h"
#include "file/input_file.h"
#include "session/console.h"
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *need_memory(void *p)
{
  if (!p) {
    console_error("out of memory");
    exit(STATUS_FAILED);
  }
  return p;
}

void words_take(struct argument_words *words, char *word)
{
  words->item = need_memory(realloc(words->item, (words->count + 2) * sizeof *words->item));
  words->item[words->count++] = need_memory(word);
  words->item[words->count] = NULL;
}

void words_add(struct argument_words *words, const char *word)
{
  words_take(words, strdup(word));
}

void words_add_all(struct argument_words *words, const char *const *list)
{
  for (; *list; list++)
    words_add(words, *list);
}

void words_free(struct argument_words *words)
{
  for (size_t i = 0; i < words->count; i++)
    free(words->item[i]);
  free(words->item);
  *words = (struct argument_words){0};
}

void words_split(struct argument_words *words, const char *text)
{
  char *word = need_memory(malloc(strlen(text) + 1));
  for (;;) {
    text += strspn(text, " \t\r\n\v\f");
    if (!*text)
      break;
    size_t length = 0;
    for (char quote = 0; *text && (quote || !strchr(" \t\r\n\v\f", *text)); text++) {
      if (*text == '\\' && text[1])
        word[length++] = *++text;
      else if (quote ? *text == quote : *text == '"' || *text == '\'')
        quote = quote ? 0 : *text;
      else
        word[length++] = *text;
    }
    word[length] = 0;
    words_add(words, word);
  }
  free(word);
}

/* The whole file as a string, or NULL. */
static char *read_text(const char *name)
{
  char error[256];
  FILE *file = input_open(name, error, sizeof error);
  if (!file)
    return NULL;
  char *text = NULL;
  size_t room = 0;
  ssize_t length = getdelim(&text, &room, 0, file);
  bool failed = ferror(file) || !text;
  fclose(file);
  if (failed) {
    free(text);
    return NULL;
  }
  text[length < 0 ? 0 : length] = 0;
  return text;
}

void words_expand(struct argument_words *words, const char *word, unsigned depth)
{
  char *text = word[0] == '@' && depth < 16 ? read_text(word + 1) : NULL;
  if (!text) {
    words_add(words, word);
    return;
  }
  struct argument_words inner = {0};
  words_split(&inner, text);
  for (size_t i = 0; i < inner.count; i++)
    words_expand(words, inner.item[i], depth + 1);
  words_free(&inner);
  free(text);
}
