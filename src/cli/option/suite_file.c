/* SPDX-License-Identifier: Apache-2.0
 *
 * Reading the file of a suite, see the header. Whether its programs are there is for who opens
 * them. */
#include "cli/option/suite_file.h"
#include "cli/compile/cc.h"
#include "file/input_file.h"
#include "session/console.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define BLANKS " \t\r\n\v\f"

/* ---- words ---- */

/* All of these return what is wrong, or NULL. */

static const char no_memory[] = "no memory left";

static const char *add_word(struct suite_entry *entry, char *word)
{
  char **grown = realloc(entry->words, (entry->word_count + 1) * sizeof *grown);
  if (grown)
    entry->words = grown;
  char *copy = grown ? strdup(word) : NULL;
  if (!copy)
    return no_memory;
  entry->words[entry->word_count++] = copy;
  return NULL;
}

/* Takes the quotes out of the word at text, which it ends with a NUL; *rest is what follows. */
static const char *take_word(char *text, char **rest)
{
  char *to = text, quote = 0;
  for (; *text && (quote || !strchr(BLANKS, *text)); text++)
    if (!quote && (*text == '"' || *text == '\''))
      quote = *text;
    else if (quote && *text == quote)
      quote = 0;
    else
      *to++ = *text;
  *rest = *text ? text + 1 : text;
  *to = 0;
  return quote ? "a quote is not closed" : NULL;
}

static const char *split(struct suite_entry *entry, char *text)
{
  const char *wrong = NULL;
  for (text += strspn(text, BLANKS); *text && *text != '#' && !wrong; text += strspn(text, BLANKS)) {
    char *word = text;
    wrong = take_word(word, &text);
    if (!wrong)
      wrong = add_word(entry, word);
  }
  return wrong;
}

/* ---- a line ---- */

/* From the folder of the suite's file, unless it is absolute. */
static const char *resolve(char **word, const char *folder, size_t length)
{
  char *path;
  if (**word == '/')
    return NULL;
  if (asprintf(&path, "%.*s%s", (int)length, folder, *word) < 0)
    return no_memory;
  free(*word);
  *word = path;
  return NULL;
}

/* Leading sources belong together; a `--` that ends them, or follows the program, is ours. */
static const char *sort_words(struct suite_entry *entry, const char *folder, size_t length)
{
  size_t n = 0;
  while (n < entry->word_count && is_source_file(entry->words[n]))
    n++;
  n = n ? n : 1;
  if (!entry->word_count || !*entry->words[0] || !strcmp(entry->words[0], "--"))
    return "a program is missing: name: program arguments...";
  entry->operand_count = n;
  if (n < entry->word_count && !strcmp(entry->words[n], "--")) {
    free(entry->words[n]);
    memmove(entry->words + n, entry->words + n + 1, (--entry->word_count - n) * sizeof *entry->words);
  }
  const char *wrong = NULL;
  for (size_t i = 0; i < n && !wrong; i++)
    wrong = resolve(&entry->words[i], folder, length);
  return wrong;
}

static const char *parse_line(struct suite_file *file, char *line, const char *folder, size_t length)
{
  struct suite_entry *grown = realloc(file->entries, (file->count + 1) * sizeof *grown);
  if (!grown)
    return no_memory;
  file->entries = grown;
  struct suite_entry *entry = &grown[file->count++];
  *entry = (struct suite_entry){0};
  char *colon = strchr(line, ':'), *end = colon;
  if (!colon)
    return "no test: a line is name: program arguments...";
  while (end > line && strchr(BLANKS, end[-1]))
    end--;
  *end = 0;
  if (!*line)
    return "the test has no name";
  entry->name = strdup(line);
  if (!entry->name)
    return no_memory;
  for (size_t i = 0; i + 1 < file->count; i++)
    if (!strcmp(grown[i].name, line))
      return "there is a test of this name already";
  const char *wrong = split(entry, colon + 1);
  return wrong ? wrong : sort_words(entry, folder, length);
}

/* ---- the file ---- */

static bool read_lines(struct suite_file *file, FILE *in, const char *path)
{
  const char *slash = strrchr(path, '/');
  const char *folder = slash ? path : "./";
  size_t length = slash ? (size_t)(slash - path) + 1 : 2, room = 0;
  unsigned number = 0;
  char *line = NULL;
  const char *wrong = NULL;
  bool whole = true;
  for (ssize_t n; !wrong && (n = input_line(&line, &room, in, &whole)) >= 0;) {
    char *start = line + strspn(line, BLANKS);
    number++;
    if (strlen(line) != (size_t)n)
      wrong = "this is not text";
    else if (!whole)
      wrong = "this line is too long for a test";
    else if (*start && *start != '#')
      wrong = parse_line(file, start, folder, length);
  }
  free(line);
  if (wrong)
    console_error("%s:%u: %s", path, number, wrong);
  else if (ferror(in))
    console_error("%s cannot be read: %s", path, strerror(errno));
  else if (!file->count)
    console_error("%s:%u: there is no test in it", path, number ? number : 1);
  return !wrong && !ferror(in) && file->count;
}

bool suite_file_read(struct suite_file *file, const char *path)
{
  *file = (struct suite_file){0};
  char error[256];
  FILE *in = input_open(path, error, sizeof error);
  if (!in) {
    console_error("%s %s (it should be a list of tests)", path, error);
    return false;
  }
  bool good = read_lines(file, in, path);
  fclose(in);
  return good;
}

void suite_file_free(struct suite_file *file)
{
  for (size_t i = 0; i < file->count; i++) {
    for (size_t k = 0; k < file->entries[i].word_count; k++)
      free(file->entries[i].words[k]);
    free(file->entries[i].words);
    free(file->entries[i].name);
  }
  free(file->entries);
  *file = (struct suite_file){0};
}
