/* SPDX-License-Identifier: Apache-2.0
 *
 * Reading a source by its compile command; see the header.
 */
#include "frontend/translation_unit.h"

#ifdef HEDDLE_HAS_LIBCLANG

#include "frontend/compile_meaning.h"
#include <stdio.h>

#define PARSE_OPTIONS (CXTranslationUnit_DetailedPreprocessingRecord | CXTranslationUnit_KeepGoing)

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

/* Whether libclang did not go on after an error. */
static bool has_stopped(const struct translation_unit *u)
{
  bool stopped = false;
  for (unsigned i = 0; i < u->clang->getNumDiagnostics(u->unit) && !stopped; i++) {
    CXDiagnostic d = u->clang->getDiagnostic(u->unit, i);
    stopped = u->clang->getDiagnosticSeverity(d) == CXDiagnostic_Fatal;
    u->clang->disposeDiagnostic(d);
  }
  return stopped;
}

static void forget_unit(struct translation_unit *u)
{
  if (u->unit)
    u->clang->disposeTranslationUnit(u->unit);
  u->unit = NULL;
}

static CXIdxClientFile note_missing(CXClientData data, const CXIdxIncludedFileInfo *info)
{
  bool *missing = data;
  *missing |= !info->file;
  return NULL;
}

static int is_missing(CXClientData data, void *reserved)
{
  const bool *missing = data;
  (void)reserved;
  return *missing;
}

/* Without the bodies of functions in the system's headers, which nobody asks for: most of what a unit of C++ is. Only
 * libclang's indexer can leave them out. It does not go on where a header is missing, so it is ended there. It has an
 * action of its own for each unit, as otherwise what another unit had is left out, too. */
static bool parse_quickly(struct translation_unit *u, const struct compile_command *command,
                          const struct compile_meaning *meaning)
{
  bool missing = false;
  IndexerCallbacks callbacks = {.abortQuery = is_missing, .ppIncludedFile = note_missing};
  CXIndexAction action = u->clang->IndexAction_create(u->index);
  const int code = u->clang->indexSourceFile(
      action, &missing, &callbacks, sizeof callbacks, CXIndexOpt_SkipParsedBodiesInSession, command->source,
      (const char *const *)meaning->word, (int)meaning->count, NULL, 0, &u->unit, PARSE_OPTIONS);
  u->clang->IndexAction_dispose(action);
  if (code == CXError_Success && u->unit && !missing && !has_stopped(u))
    return true;
  forget_unit(u);
  return false;
}

/* Not with a text instead of a file: of a unit that the indexer read so libclang gives back memory twice. */
static bool parse(struct translation_unit *u, const struct compile_command *command,
                  const struct compile_meaning *meaning, struct CXUnsavedFile *other)
{
  u->index = u->clang->createIndex(0, 0);
  return u->index && ((!other && parse_quickly(u, command, meaning)) ||
                      u->clang->parseTranslationUnit2(u->index, command->source, (const char *const *)meaning->word,
                                                      (int)meaning->count, other, other ? 1 : 0, PARSE_OPTIONS,
                                                      &u->unit) == CXError_Success);
}

bool translation_unit_open(struct translation_unit *u, const struct compile_command *command,
                           const struct source_text *other, char *error, size_t error_size)
{
  *u = (struct translation_unit){.clang = libclang_open(error, error_size)};
  if (!u->clang)
    return false;
  struct compile_meaning meaning;
  struct CXUnsavedFile unsaved = {0};
  if (other)
    unsaved = (struct CXUnsavedFile){other->path, other->text, other->length};
  const bool good = compile_meaning_of(&meaning, command) && parse(u, command, &meaning, other ? &unsaved : NULL);
  compile_meaning_free(&meaning);
  if (good) {
    note_problem(u);
    return true;
  }
  snprintf(error, error_size, "%s: libclang cannot read it", command->source);
  translation_unit_close(u);
  return false;
}

void translation_unit_close(struct translation_unit *u)
{
  forget_unit(u);
  if (u->index)
    u->clang->disposeIndex(u->index);
  u->index = NULL;
}

#endif
