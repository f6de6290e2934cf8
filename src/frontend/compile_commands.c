/* SPDX-License-Identifier: Apache-2.0
 *
 * Lists of compile commands; see the header.
 */
#include "frontend/compile_commands.h"
#include "core/compile_record.h"
#include "file/input_file.h"
#include "file/paths.h"
#include "frontend/compile_meaning.h"
#include <fcntl.h>
#include <gelf.h>
#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void free_command(struct compile_command *c)
{
  for (size_t i = 0; i < c->word_count; i++)
    free(c->words[i]);
  free(c->words);
  free(c->folder);
  free(c->source);
}

void compile_commands_free(struct compile_commands *list)
{
  for (size_t i = 0; i < list->count; i++)
    free_command(&list->command[i]);
  free(list->command);
  *list = (struct compile_commands){0};
}

static bool is_known(const struct compile_commands *list, const struct compile_command *c)
{
  for (size_t i = 0; i < list->count; i++)
    if (!strcmp(list->command[i].source, c->source) && compile_meaning_is_same(&list->command[i], c))
      return true;
  return false;
}

/* Of commands by which a source means the same the first one stays. The words are copied. */
static bool add(struct compile_commands *list, const char *folder, const char *source, const char *const *words,
                size_t count)
{
  struct compile_command c = {.folder = strdup(folder), .source = path_join(folder, source)};
  struct compile_command *grown = realloc(list->command, (list->count + 1) * sizeof *grown);
  if (grown)
    list->command = grown;
  c.words = calloc(count + 1, sizeof *c.words);
  bool good = grown && c.folder && c.source && c.words;
  for (; good && c.word_count < count; c.word_count++)
    good = (c.words[c.word_count] = strdup(words[c.word_count])) != NULL;
  if (!good || is_known(list, &c)) {
    free_command(&c);
    return good;
  }
  list->command[list->count++] = c;
  return true;
}

static bool is_source(const char *word)
{
  static const char *const endings[] = {".c", ".cc", ".cp", ".cxx", ".cpp", ".CPP", ".c++", ".C"};
  const char *dot = word[0] != '-' ? strrchr(word, '.') : NULL;
  for (size_t i = 0; dot && i < sizeof endings / sizeof *endings; i++)
    if (!strcmp(dot, endings[i]))
      return true;
  return false;
}

bool compile_commands_of_words(struct compile_commands *list, char *const *words, size_t count, char *error,
                               size_t error_size)
{
  char *folder = getcwd(NULL, 0);
  const size_t before = list->count;
  bool good = folder;
  for (size_t i = 1; good && i < count; i++)
    if (is_source(words[i]) && strcmp(words[i - 1], "-o") != 0)
      good = add(list, folder, words[i], (const char *const *)words, count);
  if (!good)
    snprintf(error, error_size, "no memory left");
  else if (list->count == before)
    snprintf(error, error_size, "the command after -- names no source: heddle lint -- cc -Iinclude file.c");
  free(folder);
  return good && list->count > before;
}

/* ---- what a program brings ---- */

#define WORDS_MOST 65536

/* One record; where the next one begins, or NULL: no memory. */
static const char *add_record(struct compile_commands *list, const char *at, const char *end, const char **words)
{
  const char *folder = at;
  size_t count = 0;
  for (at += strlen(at) + 1; at < end && *at; at += strlen(at) + 1)
    if (count < WORDS_MOST)
      words[count++] = at;
  for (size_t i = 1; i < count; i++)
    if (is_source(words[i]) && strcmp(words[i - 1], "-o") != 0 && !add(list, folder, words[i], words, count))
      return NULL;
  return at + 1;
}

static bool add_records(struct compile_commands *list, const char *bytes, size_t size)
{
  const char **words = calloc(WORDS_MOST, sizeof *words), *at = bytes;
  while (words && at && size && bytes[size - 1]) /* damaged: the last word has no end */
    size--;
  while (words && at && at < bytes + size)
    at = add_record(list, at, bytes + size, words);
  free(words);
  return words && at;
}

bool compile_commands_of_program(struct compile_commands *list, const char *program, char *error, size_t error_size)
{
  int fd = open(program, O_RDONLY | O_CLOEXEC);
  elf_version(EV_CURRENT);
  Elf *elf = fd < 0 ? NULL : elf_begin(fd, ELF_C_READ, NULL);
  size_t names;
  bool good = elf && elf_kind(elf) == ELF_K_ELF && elf_getshdrstrndx(elf, &names) == 0;
  if (!good)
    snprintf(error, error_size, "%s cannot be read as a program", program);
  for (Elf_Scn *section = NULL; good && (section = elf_nextscn(elf, section));) {
    GElf_Shdr header;
    const char *name = gelf_getshdr(section, &header) ? elf_strptr(elf, names, header.sh_name) : NULL;
    Elf_Data *data = name && !strcmp(name, COMPILE_RECORD_SECTION) ? elf_getdata(section, NULL) : NULL;
    good = !data || !data->d_buf || add_records(list, data->d_buf, data->d_size);
    if (!good)
      snprintf(error, error_size, "no memory left");
  }
  elf_end(elf);
  if (fd >= 0)
    close(fd);
  return good;
}

/* ---- compile_commands.json ---- */

/* Splits a command as a shell would, without expanding anything; in place. How many words. */
static size_t split(char *text, const char **words)
{
  size_t count = 0;
  char *out = text;
  while (*text && count < WORDS_MOST) {
    while (*text == ' ' || *text == '\t' || *text == '\n')
      text++;
    if (!*text)
      break;
    words[count++] = out;
    for (char quote = 0; *text && (quote || !strchr(" \t\n", *text)); text++) {
      if (*text == '\\' && quote != '\'' && text[1])
        *out++ = *++text;
      else if (quote ? *text == quote : *text == '"' || *text == '\'')
        quote = quote ? 0 : *text;
      else
        *out++ = *text;
    }
    text += *text != 0;
    *out++ = 0;
  }
  return count;
}

static size_t words_of(const json_t *entry, char *command, const char **words)
{
  const json_t *arguments = json_object_get(entry, "arguments");
  size_t count = 0;
  if (command)
    return split(command, words);
  for (size_t i = 0; i < json_array_size(arguments) && count < WORDS_MOST; i++)
    if (json_is_string(json_array_get(arguments, i)))
      words[count++] = json_string_value(json_array_get(arguments, i));
  return count;
}

static bool add_entry(struct compile_commands *list, const json_t *entry, const char **words)
{
  const char *folder = json_string_value(json_object_get(entry, "directory"));
  const char *source = json_string_value(json_object_get(entry, "file"));
  const char *text = json_string_value(json_object_get(entry, "command"));
  if (!folder || folder[0] != '/' || !source)
    return true; /* of no use to anybody */
  char *command = text ? strdup(text) : NULL;
  bool good = (!text || command) && add(list, folder, source, words, words_of(entry, command, words));
  free(command);
  return good;
}

bool compile_commands_read(struct compile_commands *list, const char *path, char *error, size_t error_size)
{
  char problem[256];
  json_error_t wrong;
  FILE *file = input_open(path, problem, sizeof problem);
  json_t *root = file ? json_loadf(file, 0, &wrong) : NULL;
  const char **words = calloc(WORDS_MOST, sizeof *words);
  bool good = words && json_is_array(root);
  if (!file)
    snprintf(error, error_size, "%s", problem);
  else if (!root)
    snprintf(error, error_size, "%s:%d: %s", path, wrong.line, wrong.text);
  else if (!good)
    snprintf(error, error_size, "%s: a list of commands is expected", path);
  for (size_t i = 0; good && i < json_array_size(root); i++) {
    good = add_entry(list, json_array_get(root, i), words);
    if (!good)
      snprintf(error, error_size, "no memory left");
  }
  json_decref(root);
  free(words);
  if (file)
    fclose(file);
  return good;
}

static bool read_if_there(struct compile_commands *list, const char *folder, const char *name, char *error,
                          size_t error_size)
{
  char path[PATH_MAX];
  if (snprintf(path, sizeof path, "%s/%s", folder, name) >= PATH_MAX || access(path, R_OK) != 0)
    return true;
  return compile_commands_read(list, path, error, error_size);
}

bool compile_commands_search(struct compile_commands *list, const char *from, const char *top, char *error,
                             size_t error_size)
{
  char folder[PATH_MAX];
  bool good = snprintf(folder, sizeof folder, "%s", from) < PATH_MAX;
  while (good && !list->count) {
    good = read_if_there(list, folder, "compile_commands.json", error, error_size) &&
           (list->count || read_if_there(list, folder, "build/compile_commands.json", error, error_size));
    char *slash = strrchr(folder, '/');
    if (!slash || slash == folder || (top && !strcmp(folder, top)))
      break;
    *slash = 0;
  }
  return good;
}
