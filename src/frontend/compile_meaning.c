/* SPDX-License-Identifier: Apache-2.0
 *
 * Options that matter; see the header.
 */
#include "frontend/compile_meaning.h"
#include "file/paths.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What the value of an option is. */
enum option_value {
  OPTION_TEXT,
  OPTION_PATH,  /* as seen from the folder of the command */
  OPTION_HEADER /* the same, and if it is not there, it is looked for in the include folders */
};

/* Options that decide what a source means. */
static const struct {
  const char *option;
  bool joined; /* the value may follow without a blank, or after one */
  enum option_value value;
} meaningful[] = {
    {"-isystem", true, OPTION_PATH},    {"-iquote", true, OPTION_PATH},     {"-idirafter", true, OPTION_PATH},
    {"-include", false, OPTION_HEADER}, {"-imacros", false, OPTION_HEADER}, {"-isysroot", true, OPTION_PATH},
    {"-I", true, OPTION_PATH},          {"-D", true, OPTION_TEXT},          {"-U", true, OPTION_TEXT},
    {"-x", true, OPTION_TEXT},          {"--sysroot", true, OPTION_PATH},
};

/* Those that are one word. */
static const char *const alone[] = {"-std=",         "-ansi",         "-nostdinc",      "-nostdlibinc",
                                    "-pthread",      "-m32",          "-m64",           "-fopenmp",
                                    "-fsigned-char", "-fshort-enums", "-fgnu89-inline", "-fms-extensions",
                                    "-trigraphs",    "-stdlib=",      "--target=",      "-funsigned-char"};

/* Whether there was memory for it. */
static bool add(struct compile_meaning *m, const char *text)
{
  m->word[m->count] = strdup(text);
  return m->word[m->count] && ++m->count;
}

static bool add_value(struct compile_meaning *m, const char *option, const char *value, const char *folder,
                      enum option_value kind)
{
  char *absolute = kind == OPTION_TEXT ? NULL : path_join(folder, value);
  const bool searched = kind == OPTION_HEADER && absolute && access(absolute, R_OK) != 0;
  const bool good =
      (kind == OPTION_TEXT || absolute) && add(m, option) && add(m, absolute && !searched ? absolute : value);
  free(absolute);
  return good;
}

/* How many words of the command were dealt with, 0: it is none of those that count. */
static size_t take(struct compile_meaning *m, char *const *word, size_t left, const char *folder, bool *good)
{
  for (size_t i = 0; i < sizeof meaningful / sizeof *meaningful; i++) {
    size_t length = strlen(meaningful[i].option);
    if (strncmp(word[0], meaningful[i].option, length) != 0)
      continue;
    if (!word[0][length] && left > 1) {
      *good &= add_value(m, meaningful[i].option, word[1], folder, meaningful[i].value);
      return 2;
    }
    if (word[0][length] && meaningful[i].joined) {
      const bool equals = !strncmp(word[0], "--", 2) && word[0][length] == '=';
      *good &= add_value(m, meaningful[i].option, word[0] + length + equals, folder, meaningful[i].value);
      return 1;
    }
  }
  for (size_t i = 0; i < sizeof alone / sizeof *alone; i++)
    if (!strncmp(word[0], alone[i], strlen(alone[i]))) {
      *good &= add(m, word[0]);
      return 1;
    }
  return 0;
}

bool compile_meaning_of(struct compile_meaning *m, const struct compile_command *c)
{
  const char *compiler = c->word_count ? c->words[0] : "cc";
  *m = (struct compile_meaning){.word = calloc(3 * c->word_count + 8, sizeof(char *))};
  bool good = m->word && add(m, strstr(compiler, "++") ? "--driver-mode=g++" : "--driver-mode=gcc") &&
              add(m, "-D__HEDDLE__=1") && add(m, "-ferror-limit=0");
  for (size_t i = 1; good && i < c->word_count;) {
    size_t taken = take(m, &c->words[i], c->word_count - i, c->folder, &good);
    i += taken ? taken : 1;
  }
  return good;
}

void compile_meaning_free(struct compile_meaning *m)
{
  for (size_t i = 0; i < m->count; i++)
    free(m->word[i]);
  free(m->word);
  *m = (struct compile_meaning){0};
}

/* ---- comparing ---- */

/* The number of the next word that counts: of `-D PIC` and `-D name_EXPORTS` neither. */
static size_t next_word(const struct compile_meaning *m, size_t at)
{
  while (at + 1 < m->count && !strcmp(m->word[at], "-D")) {
    const char *name = m->word[at + 1], *end = strrchr(name, '_');
    if (strcmp(name, "PIC") != 0 && !(end && !strcmp(end, "_EXPORTS")))
      break;
    at += 2;
  }
  return at;
}

static bool is_same(const struct compile_meaning *left, const struct compile_meaning *right)
{
  size_t i = next_word(left, 0), k = next_word(right, 0);
  for (; i < left->count && k < right->count; i = next_word(left, i + 1), k = next_word(right, k + 1))
    if (strcmp(left->word[i], right->word[k]) != 0)
      return false;
  return i == left->count && k == right->count;
}

bool compile_meaning_is_same(const struct compile_command *left, const struct compile_command *right)
{
  struct compile_meaning one = {0}, other = {0};
  const bool same = compile_meaning_of(&one, left) && compile_meaning_of(&other, right) && is_same(&one, &other);
  compile_meaning_free(&one);
  compile_meaning_free(&other);
  return same;
}
