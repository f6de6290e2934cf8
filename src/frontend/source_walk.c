/* SPDX-License-Identifier: Apache-2.0
 *
 * Reading facts (source_facts.h) from a translation unit. The places of code are those where it is expanded, as in
 * debug information; the names of fields are `struct.member`, those of global variables their own.
 */
#include "frontend/lock_functions.h"
#include "frontend/source_facts.h"
#include "frontend/translation_unit.h"
#include <stdio.h>

#ifdef HEDDLE_HAS_LIBCLANG

#include "core/hash.h"
#include <stdlib.h>
#include <string.h>

#define LOCKS_MOST 256

/* A call that takes or releases a lock, in the function that is read. */
struct lock_call {
  uint32_t block; /* the innermost block of statements that it is in, by number */
  uint32_t line, end_of_block;
  bool takes, guards; /* guards: released at the end of the block */
  char lock[64];      /* as the source has it */
};

struct walk {
  const struct libclang *clang;
  CXTranslationUnit unit;
  struct source_facts *facts;
  CXFile last_file; /* that was asked for, and what came of it: mostly it is the same again */
  uint32_t last_number;
  bool in_function;
  struct source_function function;
  uint32_t block, blocks, block_end;
  unsigned locks;
  struct lock_call lock[LOCKS_MOST];
};

/* ---- places ---- */

/* The number of the file, UINT32_MAX: it does not count. */
static uint32_t file_number(struct walk *w, CXFile in)
{
  uint32_t number = UINT32_MAX;
  CXString real = w->clang->File_tryGetRealPathName(in), given = w->clang->getFileName(in);
  const char *path = w->clang->getCString(real);
  if (!path || !*path)
    path = w->clang->getCString(given);
  size_t length = strlen(w->facts->folder);
  bool counts = path && !strncmp(path, w->facts->folder, length) && path[length] == '/';
  if (counts)
    number = source_facts_text(w->facts, path + length + 1);
  w->clang->disposeString(real);
  w->clang->disposeString(given);
  return number;
}

/* False: not in a file that counts. */
static bool place_of(struct walk *w, CXSourceLocation at, uint32_t *file, uint32_t *line)
{
  CXFile in;
  w->clang->getExpansionLocation(at, &in, line, NULL, NULL);
  if (in && in != w->last_file) {
    w->last_number = file_number(w, in);
    w->last_file = in;
  }
  *file = w->last_number;
  return in && *file != UINT32_MAX;
}

static void put(struct walk *w, CXSourceLocation at, enum source_kind kind, uint32_t what, uint64_t id)
{
  struct source_item item = {.kind = kind, .what = what, .id = id};
  if (place_of(w, at, &item.file, &item.line))
    source_facts_put_item(w->facts, item);
}

/* ---- names ---- */

static uint64_t id_of(struct walk *w, CXCursor cursor)
{
  CXString text = w->clang->getCursorUSR(cursor);
  uint64_t id = hash_string(HASH_START, w->clang->getCString(text));
  w->clang->disposeString(text);
  return id;
}

static uint32_t name_of(struct walk *w, CXCursor cursor)
{
  CXString text = w->clang->getCursorSpelling(cursor);
  uint32_t name = source_facts_text(w->facts, w->clang->getCString(text));
  w->clang->disposeString(text);
  return name;
}

/* `struct.member` */
static uint32_t field_name(struct walk *w, CXCursor field)
{
  char name[256];
  CXCursor owner = w->clang->getCursorSemanticParent(field);
  CXString type = w->clang->getTypeSpelling(w->clang->getCursorType(owner)),
           member = w->clang->getCursorSpelling(field);
  const char *of = w->clang->getCString(type);
  of += !strncmp(of, "struct ", 7) ? 7 : !strncmp(of, "union ", 6) ? 6 : 0;
  snprintf(name, sizeof name, "%s.%s", strchr(of, '(') ? "(unnamed)" : of, w->clang->getCString(member));
  w->clang->disposeString(type);
  w->clang->disposeString(member);
  return source_facts_text(w->facts, name);
}

static bool is_global(struct walk *w, CXCursor variable)
{
  enum CXCursorKind outer = w->clang->getCursorKind(w->clang->getCursorSemanticParent(variable));
  enum CX_StorageClass class = w->clang->Cursor_getStorageClass(variable);
  return class == CX_SC_Static || class == CX_SC_Extern || outer == CXCursor_TranslationUnit ||
         outer == CXCursor_Namespace;
}

/* The field or global variable that is meant; UINT32_MAX: none. */
static uint32_t shared_name(struct walk *w, CXCursor declared, bool *global)
{
  enum CXCursorKind kind = w->clang->getCursorKind(declared);
  *global = kind == CXCursor_VarDecl;
  if (kind == CXCursor_FieldDecl)
    return field_name(w, declared);
  return kind == CXCursor_VarDecl && is_global(w, declared) ? name_of(w, declared) : UINT32_MAX;
}

/* ---- locks ---- */

static const struct {
  const char *name;
  bool takes;
} lock_functions[] = {
#define X(name, deed) {#name, LOCK_##deed != LOCK_RELEASES},
    HD_LOCK_FUNCTIONS(X)
#undef X
};

static void text_of(struct walk *w, CXCursor cursor, char *out, size_t size)
{
  CXFile file;
  unsigned from, to;
  size_t length = 0;
  CXSourceRange range = w->clang->getCursorExtent(cursor);
  w->clang->getSpellingLocation(w->clang->getRangeStart(range), &file, NULL, NULL, &from);
  w->clang->getSpellingLocation(w->clang->getRangeEnd(range), NULL, NULL, NULL, &to);
  const char *text = file ? w->clang->getFileContents(w->unit, file, &length) : NULL;
  bool there = text && from <= to && to <= length;
  snprintf(out, size, "%.*s", there ? (int)(to - from) : 0, there ? text + from : "");
}

static struct lock_call *add_lock(struct walk *w, CXCursor cursor)
{
  uint32_t file, line;
  if (!w->in_function || w->locks == LOCKS_MOST || !place_of(w, w->clang->getCursorLocation(cursor), &file, &line) ||
      file != w->function.file)
    return NULL;
  struct lock_call *l = &w->lock[w->locks++];
  *l = (struct lock_call){.block = w->block, .line = line, .end_of_block = w->block_end};
  return l;
}

static void note_lock(struct walk *w, CXCursor call, const char *name)
{
  for (size_t i = 0; i < sizeof lock_functions / sizeof *lock_functions; i++) {
    struct lock_call *l = strcmp(name, lock_functions[i].name) == 0 ? add_lock(w, call) : NULL;
    if (!l)
      continue;
    l->takes = lock_functions[i].takes;
    text_of(w, w->clang->Cursor_getArgument(call, 0), l->lock, sizeof l->lock);
    return;
  }
}

/* std::lock_guard and its kin. */
static void note_guard(struct walk *w, CXCursor variable)
{
  CXString type = w->clang->getTypeSpelling(w->clang->getCursorType(variable));
  const char *text = w->clang->getCString(type);
  bool guards = strstr(text, "lock_guard<") || strstr(text, "unique_lock<") || strstr(text, "scoped_lock<") ||
                strstr(text, "shared_lock<");
  struct lock_call *l = guards ? add_lock(w, variable) : NULL;
  if (l)
    l->takes = l->guards = true;
  w->clang->disposeString(type);
}

/* Its release in the same block, before it is taken there again; NULL: there is none. */
static const struct lock_call *release_of(const struct walk *w, unsigned taken)
{
  for (unsigned i = taken + 1; i < w->locks; i++) {
    const struct lock_call *l = &w->lock[i];
    if (l->block != w->lock[taken].block || strcmp(l->lock, w->lock[taken].lock) != 0)
      continue;
    return l->takes ? NULL : l;
  }
  return NULL;
}

static bool is_released_by(const struct walk *w, const struct lock_call *release)
{
  for (unsigned i = 0; i < w->locks; i++)
    if (w->lock[i].takes && !strcmp(w->lock[i].lock, release->lock))
      return true;
  return false;
}

/* Where they do not pair up, all of the function. */
static void put_regions(struct walk *w)
{
  for (unsigned i = 0; i < w->locks; i++) {
    const struct lock_call *l = &w->lock[i], *release = l->takes && !l->guards ? release_of(w, i) : NULL;
    struct source_region r = {.file = w->function.file, .first = w->function.first, .last = w->function.last};
    if (!l->takes && is_released_by(w, l))
      continue;
    if (release || l->guards) {
      r.first = l->line;
      r.last = release ? release->line : l->end_of_block;
    }
    source_facts_put_region(w->facts, r);
  }
  w->locks = 0;
}

/* ---- the walk ---- */

static void note_call(struct walk *w, CXCursor call)
{
  CXCursor callee = w->clang->getCursorReferenced(call);
  if (w->clang->Cursor_isNull(callee))
    return;
  CXString name = w->clang->getCursorSpelling(callee);
  put(w, w->clang->getCursorLocation(call), SOURCE_CALL, source_facts_text(w->facts, w->clang->getCString(name)),
      id_of(w, callee));
  note_lock(w, call, w->clang->getCString(name));
  w->clang->disposeString(name);
}

static void note_use(struct walk *w, CXCursor cursor)
{
  bool global;
  CXCursor declared = w->clang->getCursorReferenced(cursor);
  uint32_t name = w->clang->Cursor_isNull(declared) ? UINT32_MAX : shared_name(w, declared, &global);
  if (name != UINT32_MAX)
    put(w, w->clang->getCursorLocation(cursor), SOURCE_USE, name, global);
}

static void note_declaration(struct walk *w, CXCursor cursor)
{
  bool global;
  uint32_t name = shared_name(w, cursor, &global);
  if (name != UINT32_MAX)
    put(w, w->clang->getCursorLocation(cursor), SOURCE_DECLARED, name, global);
  if (global)
    note_guard(w, cursor);
}

/* A macro of ours that is used in a file that counts: each line of its definition leads there. */
static void note_macro(struct walk *w, CXCursor use)
{
  uint32_t file, line, of, first, last;
  CXCursor definition = w->clang->getCursorReferenced(use);
  if (w->clang->Cursor_isNull(definition) || !place_of(w, w->clang->getCursorLocation(use), &file, &line))
    return;
  CXSourceRange extent = w->clang->getCursorExtent(definition);
  if (!place_of(w, w->clang->getRangeStart(extent), &of, &first) ||
      !place_of(w, w->clang->getRangeEnd(extent), &of, &last))
    return;
  for (uint32_t l = first; l <= last && l - first < 1000; l++)
    source_facts_put_item(w->facts,
                          (struct source_item){.file = of, .line = l, .kind = SOURCE_MACRO, .what = file, .id = line});
}

static enum CXChildVisitResult visit(CXCursor cursor, CXCursor parent, CXClientData data);

static void walk_children(struct walk *w, CXCursor cursor)
{
  w->clang->visitChildren(cursor, visit, w);
}

/* Functions in functions, as lambdas are, are a part of the outer one. */
static bool walk_function(struct walk *w, CXCursor cursor)
{
  struct source_function f = {.id = id_of(w, cursor)};
  CXSourceRange extent = w->clang->getCursorExtent(cursor);
  if (w->in_function || !w->clang->isCursorDefinition(cursor) ||
      !place_of(w, w->clang->getRangeStart(extent), &f.file, &f.first) ||
      !place_of(w, w->clang->getRangeEnd(extent), &f.file, &f.last))
    return false;
  f.name = name_of(w, cursor);
  source_facts_put_function(w->facts, f);
  w->function = f;
  w->in_function = true;
  walk_children(w, cursor);
  w->in_function = false;
  put_regions(w);
  return true;
}

static void walk_block(struct walk *w, CXCursor cursor)
{
  uint32_t block = w->block, end = w->block_end, file, line;
  CXSourceLocation last = w->clang->getRangeEnd(w->clang->getCursorExtent(cursor));
  w->block = ++w->blocks;
  w->block_end = place_of(w, last, &file, &line) ? line : 0;
  walk_children(w, cursor);
  w->block = block;
  w->block_end = end;
}

static void note_line(struct walk *w, CXCursor cursor, CXCursor parent)
{
  enum CXCursorKind kind = w->clang->getCursorKind(cursor);
  bool counts =
      w->in_function && kind != CXCursor_CompoundStmt && (w->clang->isStatement(kind) || w->clang->isExpression(kind));
  CXSourceLocation start = w->clang->getRangeStart(w->clang->getCursorExtent(cursor));
  if (counts) {
    put(w, start, SOURCE_CODE, 0, 0);
    put(w, w->clang->getCursorLocation(cursor), SOURCE_CODE, 0, 0);
  }
  if (counts && w->clang->getCursorKind(parent) == CXCursor_CompoundStmt)
    put(w, start, SOURCE_STATEMENT, 0, 0);
}

static enum CXChildVisitResult visit(CXCursor cursor, CXCursor parent, CXClientData data)
{
  struct walk *w = data;
  if (!w->in_function && w->clang->Location_isInSystemHeader(w->clang->getCursorLocation(cursor)))
    return CXChildVisit_Continue;
  note_line(w, cursor, parent);
  switch (w->clang->getCursorKind(cursor)) {
  case CXCursor_FunctionDecl:
  case CXCursor_CXXMethod:
  case CXCursor_Constructor:
  case CXCursor_Destructor:
  case CXCursor_FunctionTemplate:
    if (walk_function(w, cursor))
      return CXChildVisit_Continue;
    break;
  case CXCursor_CompoundStmt:
    walk_block(w, cursor);
    return CXChildVisit_Continue;
  case CXCursor_CallExpr:
    note_call(w, cursor);
    break;
  case CXCursor_MemberRefExpr:
  case CXCursor_DeclRefExpr:
    note_use(w, cursor);
    break;
  case CXCursor_FieldDecl:
  case CXCursor_VarDecl:
    note_declaration(w, cursor);
    break;
  case CXCursor_MacroExpansion:
    note_macro(w, cursor);
    break;
  default:
    break;
  }
  walk_children(w, cursor);
  return CXChildVisit_Continue;
}

bool source_facts_add(struct source_facts *f, const struct compile_command *command, const struct source_text *other,
                      char *problem, char *error, size_t error_size)
{
  struct translation_unit u;
  struct walk *w = calloc(1, sizeof *w);
  if (!w) {
    snprintf(error, error_size, "no memory left");
    return false;
  }
  bool open = translation_unit_open(&u, command, other, error, error_size);
  if (open) {
    *w = (struct walk){.clang = u.clang, .unit = u.unit, .facts = f};
    snprintf(problem, error_size, "%s", u.problem);
    walk_children(w, u.clang->getTranslationUnitCursor(u.unit));
    translation_unit_close(&u);
  }
  free(w);
  return open;
}

#else

bool source_facts_add(struct source_facts *f, const struct compile_command *command, const struct source_text *other,
                      char *problem, char *error, size_t error_size)
{
  (void)f, (void)command, (void)other;
  problem[0] = 0;
  libclang_open(error, error_size);
  return false;
}

#endif
