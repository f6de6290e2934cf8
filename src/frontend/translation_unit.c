/* SPDX-License-Identifier: Apache-2.0
 *
 * Reading a source by its compile command; see the header.
 */
#include "frontend/translation_unit.h"

#ifdef HEDDLE_HAS_LIBCLANG

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define NAME_SIZE 1024
#define PARSE_OPTIONS (CXTranslationUnit_DetailedPreprocessingRecord | CXTranslationUnit_KeepGoing)

/* Diagnostics are looked at as a set: a unit that is asked for one makes all anew if some have notes. */
static void note_problem(struct translation_unit *u)
{
  CXDiagnosticSet set = u->clang->getDiagnosticSetFromTU(u->unit);
  for (unsigned i = 0; i < u->clang->getNumDiagnosticsInSet(set) && !u->problem[0]; i++) {
    CXDiagnostic d = u->clang->getDiagnosticInSet(set, i);
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
  CXDiagnosticSet set = u->clang->getDiagnosticSetFromTU(u->unit);
  for (unsigned i = 0; i < u->clang->getNumDiagnosticsInSet(set) && !stopped; i++) {
    CXDiagnostic d = u->clang->getDiagnosticInSet(set, i);
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

#define TRIES 5 /* more than that cost more than a whole reading */

/* Headers that this process has missed in any source: those that one source lacks the next one often does, too. */
static struct missing_headers missed;

/* What is seen of headers that are missing. */
struct missing_note {
  struct translation_unit *unit;
  const struct compile_command *command;
  char name[NAME_SIZE]; /* of the one that the indexing ended at; empty: none */
};

static void includer_of(const struct libclang *clang, CXIdxLoc at, char path[NAME_SIZE], unsigned *line)
{
  CXFile file = NULL;
  clang->indexLoc_getFileLocation(at, NULL, &file, line, NULL, NULL);
  CXString name = clang->getFileName(file);
  const char *text = file ? clang->getCString(name) : NULL;
  snprintf(path, NAME_SIZE, "%s", text ? text : "");
  clang->disposeString(name);
}

/* An empty header was included. */
static void note_empty(const struct missing_note *note, const CXIdxIncludedFileInfo *info)
{
  struct translation_unit *u = note->unit;
  char includer[NAME_SIZE];
  unsigned line;
  includer_of(u->clang, info->hashLoc, includer, &line);
  if (!u->problem[0] && !includer[0]) /* -include */
    snprintf(u->problem, sizeof u->problem, "error: '%s' file not found", info->filename);
  if (!u->problem[0])
    snprintf(u->problem, sizeof u->problem, "%s:%u: error: '%s' file not found", includer, line, info->filename);
  char *slash = strrchr(includer, '/');
  if (slash)
    *slash = '\0';
  missing_headers_add(&u->missing, info->filename, slash ? includer : note->command->folder);
}

static CXIdxClientFile note_included(CXClientData data, const CXIdxIncludedFileInfo *info)
{
  struct missing_note *note = data;
  if (!info->file && !note->name[0])
    snprintf(note->name, sizeof note->name, "%s", info->filename);
  if (!info->file)
    return NULL;
  CXString name = note->unit->clang->getFileName(info->file);
  const char *path = note->unit->clang->getCString(name);
  if (path && missing_headers_is_empty(path) && missing_headers_has(&missed, info->filename))
    note_empty(note, info);
  note->unit->clang->disposeString(name);
  return NULL;
}

static int is_missing(CXClientData data, void *reserved)
{
  const struct missing_note *note = data;
  (void)reserved;
  return note->name[0] != '\0';
}

static bool has_indexed(struct translation_unit *u, const struct compile_command *command,
                        const struct compile_meaning *words, struct missing_note *note)
{
  IndexerCallbacks callbacks = {.abortQuery = is_missing, .ppIncludedFile = note_included};
  CXIndexAction action = u->clang->IndexAction_create(u->index);
  const int code = u->clang->indexSourceFile(
      action, note, &callbacks, sizeof callbacks, CXIndexOpt_SkipParsedBodiesInSession, command->source,
      (const char *const *)words->word, (int)words->count, NULL, 0, &u->unit, PARSE_OPTIONS);
  u->clang->IndexAction_dispose(action);
  if (code == CXError_Success && u->unit && !note->name[0] && !has_stopped(u))
    return true;
  forget_unit(u);
  missing_headers_free(&u->missing);
  u->problem[0] = '\0';
  return false;
}

/* With an empty one for each header that has been missed so far. */
static bool index_with_empty(struct translation_unit *u, const struct compile_command *command,
                             struct missing_note *note)
{
  struct compile_meaning words;
  int overlay = -1;
  const bool good = compile_meaning_of(&words, command) && missing_headers_stand_in(&missed, &words, &overlay) &&
                    has_indexed(u, command, &words, note);
  compile_meaning_free(&words);
  if (overlay >= 0)
    close(overlay);
  return good;
}

/* Without the bodies of functions in the system's headers, which nobody asks for: most of what a unit of C++ is. Only
 * libclang's indexer can leave them out. It does not go on where a header is missing, so it is ended there, and begins
 * again with an empty one. It has an action of its own for each unit, as otherwise what another unit had is left out,
 * too. */
static bool parse_quickly(struct translation_unit *u, const struct compile_command *command)
{
  for (unsigned tries = 0; tries < TRIES; tries++) {
    struct missing_note note = {.unit = u, .command = command};
    if (missed.count ? index_with_empty(u, command, &note) : has_indexed(u, command, &u->meaning, &note))
      return true;
    if (!note.name[0] || !missing_headers_add(&missed, note.name, "."))
      return false;
  }
  return false;
}

/* Not with a text instead of a file: of a unit that the indexer read so libclang gives back memory twice. */
static bool parse(struct translation_unit *u, const struct compile_command *command, struct CXUnsavedFile *other)
{
  u->index = u->clang->createIndex(0, 0);
  return u->index && ((!other && parse_quickly(u, command)) ||
                      u->clang->parseTranslationUnit2(u->index, command->source, (const char *const *)u->meaning.word,
                                                      (int)u->meaning.count, other, other ? 1 : 0, PARSE_OPTIONS,
                                                      &u->unit) == CXError_Success);
}

bool translation_unit_open(struct translation_unit *u, const struct compile_command *command,
                           const struct source_text *other, char *error, size_t error_size)
{
  *u = (struct translation_unit){.clang = libclang_open(error, error_size)};
  if (!u->clang)
    return false;
  struct CXUnsavedFile unsaved = {0};
  if (other)
    unsaved = (struct CXUnsavedFile){other->path, other->text, other->length};
  const bool good = compile_meaning_of(&u->meaning, command) && parse(u, command, other ? &unsaved : NULL);
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
  compile_meaning_free(&u->meaning);
  missing_headers_free(&u->missing);
}

#endif
