/* SPDX-License-Identifier: Apache-2.0
 *
 * Reading a source by its compile command; see the header.
 */
#include "frontend/translation_unit.h"

#ifdef HEDDLE_HAS_LIBCLANG

#include "frontend/compile_meaning.h"
#include <stdio.h>

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
  struct compile_meaning meaning;
  struct CXUnsavedFile unsaved = {0};
  if (other)
    unsaved = (struct CXUnsavedFile){other->path, other->text, other->length};
  if (compile_meaning_of(&meaning, command))
    u->index = u->clang->createIndex(0, 0);
  enum CXErrorCode code = CXError_Failure;
  if (u->index)
    code = u->clang->parseTranslationUnit2(
        u->index, command->source, (const char *const *)meaning.word, (int)meaning.count, other ? &unsaved : NULL,
        other ? 1 : 0, CXTranslationUnit_DetailedPreprocessingRecord | CXTranslationUnit_KeepGoing, &u->unit);
  compile_meaning_free(&meaning);
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
