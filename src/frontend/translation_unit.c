/* SPDX-License-Identifier: Apache-2.0
 *
 * Reading a source by its compile command; see the header.
 */
#include "frontend/translation_unit.h"

#ifdef HEDDLE_HAS_LIBCLANG

#include "file/paths.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What the value of an option is. */
enum value_kind {
  VALUE_TEXT,
  VALUE_PATH,  /* as seen from the folder of the command */
  VALUE_HEADER /* the same, and if it is not there, it is looked for in the include folders */
};

/* Options that decide what a source means. */
static const struct {
  const char *option;
  bool joined; /* the value may follow without a blank, or after one */
  enum value_kind value;
} meaningful[] = {
    {"-isystem", true, VALUE_PATH},    {"-iquote", true, VALUE_PATH},     {"-idirafter", true, VALUE_PATH},
    {"-include", false, VALUE_HEADER}, {"-imacros", false, VALUE_HEADER}, {"-isysroot", true, VALUE_PATH},
    {"-I", true, VALUE_PATH},          {"-D", true, VALUE_TEXT},          {"-U", true, VALUE_TEXT},
    {"-x", true, VALUE_TEXT},          {"--sysroot", true, VALUE_PATH},
};

/* Those that are one word. */
static const char *const alone[] = {"-std=",         "-ansi",         "-nostdinc",      "-nostdlibinc",
                                    "-pthread",      "-m32",          "-m64",           "-fopenmp",
                                    "-fsigned-char", "-fshort-enums", "-fgnu89-inline", "-fms-extensions",
                                    "-trigraphs",    "-stdlib=",      "--target=",      "-funsigned-char"};

struct arguments {
  char **word;
  int count;
  bool failed;
};

static void add(struct arguments *a, const char *option, const char *value)
{
  char *word = NULL;
  if (asprintf(&word, "%s%s", option, value) < 0) {
    a->failed = true;
    return;
  }
  a->word[a->count++] = word;
}

static void add_value(struct arguments *a, const char *option, const char *value, const char *folder,
                      enum value_kind kind)
{
  char *absolute = kind == VALUE_TEXT ? NULL : path_join(folder, value);
  const bool searched = kind == VALUE_HEADER && absolute && access(absolute, R_OK) != 0;
  a->failed |= kind != VALUE_TEXT && !absolute;
  add(a, option, "");
  add(a, absolute && !searched ? absolute : value, "");
  free(absolute);
}

/* How many words of the command were dealt with, 0: it is none of those that count. */
static size_t take(struct arguments *a, char *const *word, size_t left, const char *folder)
{
  for (size_t i = 0; i < sizeof meaningful / sizeof *meaningful; i++) {
    size_t length = strlen(meaningful[i].option);
    if (strncmp(word[0], meaningful[i].option, length) != 0)
      continue;
    if (!word[0][length] && left > 1) {
      add_value(a, meaningful[i].option, word[1], folder, meaningful[i].value);
      return 2;
    }
    if (word[0][length] && meaningful[i].joined) {
      const bool equals = !strncmp(word[0], "--", 2) && word[0][length] == '=';
      add_value(a, meaningful[i].option, word[0] + length + equals, folder, meaningful[i].value);
      return 1;
    }
  }
  for (size_t i = 0; i < sizeof alone / sizeof *alone; i++)
    if (!strncmp(word[0], alone[i], strlen(alone[i]))) {
      add(a, word[0], "");
      return 1;
    }
  return 0;
}

static struct arguments arguments_of(const struct compile_command *c)
{
  struct arguments a = {.word = calloc(3 * c->word_count + 8, sizeof(char *))};
  if (!a.word) {
    a.failed = true;
    return a;
  }
  const char *compiler = c->word_count ? c->words[0] : "cc";
  add(&a, strstr(compiler, "++") ? "--driver-mode=g++" : "--driver-mode=gcc", "");
  add(&a, "-D__HEDDLE__=1", "");
  add(&a, "-ferror-limit=0", "");
  for (size_t i = 1; i < c->word_count;) {
    size_t taken = take(&a, &c->words[i], c->word_count - i, c->folder);
    i += taken ? taken : 1;
  }
  return a;
}

static void note_problem(struct translation_unit *u)
{
  for (unsigned i = 0; i < u->clang->getNumDiagnostics(u->unit) && !u->problem[0]; i++) {
    CXDiagnostic d = u->clang->getDiagnostic(u->unit, i);
    if (u->clang->getDiagnosticSeverity(d) >= CXDiagnostic_Error) {
      CXString text = u->clang->formatDiagnostic(d, CXDiagnostic_DisplaySourceLocation);
      snprintf(u->problem, sizeof u->problem, "%s", u->clang->getCString(text));
      u->clang->disposeString(text);
    }
    u->clang->disposeDiagnostic(d);
  }
}

bool translation_unit_open(struct translation_unit *u, const struct compile_command *command,
                           const struct source_text *other, char *error, size_t error_size)
{
  *u = (struct translation_unit){.clang = libclang_open(error, error_size)};
  if (!u->clang)
    return false;
  struct arguments a = arguments_of(command);
  struct CXUnsavedFile unsaved = {0};
  if (other)
    unsaved = (struct CXUnsavedFile){other->path, other->text, other->length};
  u->index = a.failed ? NULL : u->clang->createIndex(0, 0);
  enum CXErrorCode code = CXError_Failure;
  if (u->index)
    code = u->clang->parseTranslationUnit2(
        u->index, command->source, (const char *const *)a.word, a.count, other ? &unsaved : NULL, other ? 1 : 0,
        CXTranslationUnit_DetailedPreprocessingRecord | CXTranslationUnit_KeepGoing, &u->unit);
  for (int i = 0; i < a.count; i++)
    free(a.word[i]);
  free(a.word);
  if (code == CXError_Success) {
    note_problem(u);
    return true;
  }
  snprintf(error, error_size, "%s: libclang cannot read it", command->source);
  translation_unit_close(u);
  return false;
}

void translation_unit_close(struct translation_unit *u)
{
  if (u->unit)
    u->clang->disposeTranslationUnit(u->unit);
  if (u->index)
    u->clang->disposeIndex(u->index);
  u->unit = NULL;
  u->index = NULL;
}

#endif
