/* SPDX-License-Identifier: Apache-2.0
 *
 * Texts, places and symbols of cursors; see the header.
 */
#include "lint/syntax_cursor.h"

#ifdef HEDDLE_HAS_LIBCLANG

#include "core/hash.h"
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define TEXT_MOST 160 /* of a condition */

/* ---- places ---- */

struct extent extent_of(const struct syntax_reader *r, CXCursor cursor)
{
  struct extent e = {0};
  unsigned spelled;
  CXFile spelled_in;
  CXSourceRange range = r->clang->getCursorExtent(cursor);
  CXSourceLocation start = r->clang->getRangeStart(range);
  r->clang->getExpansionLocation(start, &e.file, &e.line, NULL, &e.from);
  r->clang->getExpansionLocation(r->clang->getRangeEnd(range), NULL, NULL, NULL, &e.to);
  r->clang->getFileLocation(start, NULL, NULL, NULL, &e.written_from);
  r->clang->getFileLocation(r->clang->getRangeEnd(range), NULL, NULL, NULL, &e.written_to);
  r->clang->getSpellingLocation(start, &spelled_in, NULL, NULL, &spelled);
  e.from_macro = spelled != e.from || spelled_in != e.file;
  return e;
}

const char *file_text(const struct syntax_reader *r, CXFile file, size_t *length)
{
  *length = 0;
  if (!file)
    return NULL;
  struct file_contents *seen = &r->seen[mix64((uintptr_t)file) % FILES_SEEN];
  if (seen->file != file) {
    *seen = (struct file_contents){.file = file};
    seen->text = r->clang->getFileContents(r->unit, file, &seen->length);
  }
  *length = seen->length;
  return seen->text;
}

/* Blanks become one; "..." where it is cut. */
uint32_t source_text_of(const struct syntax_reader *r, const struct extent *e)
{
  char out[TEXT_MOST + 4];
  size_t length, used = 0;
  const char *text = file_text(r, e->file, &length);
  const bool written = e->written_from > e->from && e->written_from < e->written_to && e->written_to <= e->to;
  const unsigned from = written ? e->written_from : e->from, to = written ? e->written_to : e->to;
  if (!text || from >= to || to > length)
    return 0;
  for (unsigned i = from; i < to && used < TEXT_MOST; i++) {
    const bool blank = isspace((unsigned char)text[i]) || (text[i] == '\\' && i + 1 < to && text[i + 1] == '\n');
    if (!blank)
      out[used++] = text[i];
    else if (used && out[used - 1] != ' ')
      out[used++] = ' ';
  }
  if (used == TEXT_MOST) {
    memcpy(out + used, "...", 3);
    used += 3;
  }
  return syntax_draft_text(r->draft, out, used);
}

static bool is_word(char c)
{
  return isalnum((unsigned char)c) || c == '_' || c == '.' || c == '\'';
}

uint32_t first_word(const struct syntax_reader *r, CXCursor cursor)
{
  CXFile file;
  unsigned from, to;
  size_t length;
  CXSourceLocation start = r->clang->getRangeStart(r->clang->getCursorExtent(cursor));
  r->clang->getSpellingLocation(start, &file, NULL, NULL, &from);
  const char *text = file_text(r, file, &length);
  for (to = from; text && to < length && to - from < TEXT_MOST && is_word(text[to]);)
    to++;
  return text && from < length ? syntax_draft_text(r->draft, text + from, to - from) : 0;
}

static unsigned skip_quoted(const char *text, size_t length, unsigned at)
{
  const char quote = text[at++];
  while (at < length && text[at] != quote)
    at += text[at] == '\\' ? 2 : 1;
  return at + 1;
}

static unsigned skip_comment(const char *text, size_t length, unsigned at)
{
  const bool line = text[at + 1] == '/';
  for (at += 2; at < length; at++) {
    if (line && text[at] == '\n')
      return at;
    if (!line && text[at] == '/' && text[at - 1] == '*')
      return at + 1;
  }
  return at;
}

unsigned skip_aside(const char *text, size_t length, unsigned at)
{
  const bool separates = text[at] == '\'' && at && isdigit((unsigned char)text[at - 1]); /* 1'000 */
  if (text[at] == '"' || (text[at] == '\'' && !separates))
    return skip_quoted(text, length, at);
  if (text[at] == '/' && at + 1 < length && (text[at + 1] == '/' || text[at + 1] == '*'))
    return skip_comment(text, length, at);
  return at;
}

/* Where the parenthesis of the use of a macro with arguments begins; 0: there is none. */
static unsigned macro_parenthesis(const struct extent *e, const char *text, size_t length)
{
  unsigned at = e->from;
  if (!text)
    return 0;
  while (at < length && is_word(text[at]))
    at++;
  while (at < length && text[at] == ' ')
    at++;
  return at == e->from || at >= length || text[at] != '(' ? 0 : at;
}

unsigned macro_end(const struct syntax_reader *r, const struct extent *e)
{
  size_t length = 0;
  const char *text = e->from_macro ? file_text(r, e->file, &length) : NULL;
  unsigned at = macro_parenthesis(e, text, length), depth = 0;
  while (at && at < length) {
    const unsigned behind = skip_aside(text, length, at);
    if (behind > at) {
      at = behind;
      continue;
    }
    depth += text[at] == '(';
    depth -= text[at] == ')';
    at++;
    if (!depth)
      return at;
  }
  return 0;
}

/* Without blanks around it. */
static struct text_range trimmed(const char *text, struct text_range range)
{
  while (range.from < range.to && isspace((unsigned char)text[range.from]))
    range.from++;
  while (range.to > range.from && isspace((unsigned char)text[range.to - 1]))
    range.to--;
  return range;
}

unsigned macro_arguments(const struct syntax_reader *r, const struct extent *e, struct text_range *out, unsigned most)
{
  size_t length;
  const unsigned end = macro_end(r, e);
  const char *text = end ? file_text(r, e->file, &length) : NULL;
  unsigned at = macro_parenthesis(e, text, end), depth = 0, count = 0, from = at + 1;
  while (at && at < end && count < most) {
    const unsigned behind = skip_aside(text, end, at);
    if (behind > at) {
      at = behind;
      continue;
    }
    depth += text[at] == '(';
    depth -= text[at] == ')';
    if (!depth || (depth == 1 && text[at] == ',')) {
      out[count++] = trimmed(text, (struct text_range){from, at});
      from = at + 1;
    }
    at++;
  }
  return count;
}

/* ---- symbols ---- */

static uint32_t flags_of_type(const struct syntax_reader *r, CXType type)
{
  uint32_t flags = 0;
  flags |= r->clang->isConstQualifiedType(type) ? SYMBOL_CONST : 0;
  flags |= r->clang->isVolatileQualifiedType(type) ? SYMBOL_VOLATILE : 0;
  CXType plain = r->clang->getCanonicalType(type);
  if (plain.kind == CXType_Pointer || plain.kind == CXType_ConstantArray || plain.kind == CXType_IncompleteArray)
    flags |= SYMBOL_POINTER;
  if ((plain.kind >= CXType_Bool && plain.kind <= CXType_Int128) || plain.kind == CXType_Enum)
    flags |= SYMBOL_INTEGER;
  if (plain.kind == CXType_Atomic)
    flags |= SYMBOL_ATOMIC | SYMBOL_INTEGER;
  return flags;
}

static uint32_t type_text(const struct syntax_reader *r, CXType type)
{
  CXString text = r->clang->getTypeSpelling(type);
  const char *spelled = r->clang->getCString(text);
  const uint32_t number = spelled ? syntax_draft_text(r->draft, spelled, strlen(spelled)) : 0;
  r->clang->disposeString(text);
  return number;
}

static enum CXChildVisitResult look_for_cleanup(CXCursor cursor, CXCursor parent, CXClientData data)
{
  (void)parent;
  const struct syntax_reader **reader = data;
  const char *word = (*reader)->clang->isAttribute((*reader)->clang->getCursorKind(cursor))
                         ? (*reader)->draft->text + first_word(*reader, cursor)
                         : "";
  if (strcmp(word, "cleanup") != 0 && strcmp(word, "__cleanup__") != 0)
    return CXChildVisit_Continue;
  *reader = NULL;
  return CXChildVisit_Break;
}

/* Whether a variable is cleaned up at the end of its block. */
static bool is_cleaned_up(const struct syntax_reader *r, CXCursor variable)
{
  const struct syntax_reader *left = r;
  if (r->clang->Cursor_hasAttrs(variable))
    r->clang->visitChildren(variable, look_for_cleanup, &left);
  return !left;
}

static uint32_t kind_of_variable(const struct syntax_reader *r, CXCursor variable)
{
  const enum CXCursorKind outer = r->clang->getCursorKind(r->clang->getCursorSemanticParent(variable));
  const enum CX_StorageClass class = r->clang->Cursor_getStorageClass(variable);
  const bool global = class == CX_SC_Static || class == CX_SC_Extern || outer == CXCursor_TranslationUnit ||
                      outer == CXCursor_Namespace || outer == CXCursor_LinkageSpec || outer == CXCursor_ClassDecl ||
                      outer == CXCursor_StructDecl;
  return global ? SYMBOL_GLOBAL : SYMBOL_LOCAL;
}

static uint32_t flags_of(const struct syntax_reader *r, CXCursor declaration)
{
  const uint32_t of_type = flags_of_type(r, r->clang->getCursorType(declaration));
  switch (r->clang->getCursorKind(declaration)) {
  case CXCursor_VarDecl:
    return of_type | kind_of_variable(r, declaration) | (is_cleaned_up(r, declaration) ? SYMBOL_CLEANED : 0);
  case CXCursor_ParmDecl:
    return of_type | SYMBOL_PARAMETER;
  case CXCursor_FieldDecl:
    return of_type | SYMBOL_FIELD;
  case CXCursor_EnumConstantDecl:
    return SYMBOL_ENUMERATOR | SYMBOL_CONST | SYMBOL_INTEGER;
  case CXCursor_CXXMethod:
    return SYMBOL_FUNCTION | (r->clang->CXXMethod_isPureVirtual(declaration) ? SYMBOL_PURE : 0);
  case CXCursor_FunctionDecl:
  case CXCursor_Constructor:
  case CXCursor_Destructor:
  case CXCursor_ConversionFunction:
  case CXCursor_FunctionTemplate:
    return SYMBOL_FUNCTION;
  case CXCursor_LabelStmt:
    return SYMBOL_LABEL;
  default:
    return of_type;
  }
}

/* An instance of a template of the program is the template, whose body is read; those of the system's headers are
 * known by their names, which have the types. */
static CXCursor template_of(const struct syntax_reader *r, CXCursor declaration)
{
  const CXCursor of = r->clang->getSpecializedCursorTemplate(declaration);
  const bool own =
      !r->clang->Cursor_isNull(of) && !r->clang->Location_isInSystemHeader(r->clang->getCursorLocation(of));
  return own ? of : declaration;
}

/* What is static, or in a namespace without a name, has the name of its file in the one that is the same everywhere,
 * but not the folder: two programs may each have a main.c. */
static uint64_t hash_of_file(const struct syntax_reader *r, CXCursor declaration)
{
  const struct extent e = extent_of(r, r->clang->getCanonicalCursor(declaration));
  if (!e.file)
    return HASH_START;
  CXString path = r->clang->File_tryGetRealPathName(e.file);
  const char *text = r->clang->getCString(path);
  const uint64_t hash = hash_string(HASH_START, text ? text : "");
  r->clang->disposeString(path);
  return hash;
}

/* What is local to a function is known by its place, all else by the name that is the same everywhere. */
static uint64_t id_of(const struct syntax_reader *r, CXCursor declaration, uint32_t flags)
{
  if (flags & (SYMBOL_LOCAL | SYMBOL_PARAMETER | SYMBOL_LABEL)) {
    const struct extent e = extent_of(r, declaration);
    CXString file = e.file ? r->clang->getFileName(e.file) : r->clang->getCursorSpelling(declaration);
    const uint64_t place = hash_string(HASH_START + e.from, r->clang->getCString(file));
    r->clang->disposeString(file);
    return place | 1;
  }
  const CXCursor of = flags & SYMBOL_FUNCTION ? template_of(r, declaration) : declaration;
  CXString text = r->clang->getCursorUSR(of);
  const char *name = r->clang->getCString(text);
  const bool of_file = !strncmp(name, "c:", 2) && name[2] != '@';
  const uint64_t id = hash_string(of_file ? hash_of_file(r, of) : HASH_START, name) & ~UINT64_C(1);
  r->clang->disposeString(text);
  return id;
}

/* `std::thread::thread`, and of what belongs to a template its type, `std::vector<std::thread>::push_back`; in C the
 * name alone. */
static void qualify(const struct syntax_reader *r, CXCursor declaration, char *out, size_t size)
{
  const CXCursor outer = r->clang->getCursorSemanticParent(declaration);
  const enum CXCursorKind kind = r->clang->getCursorKind(outer);
  CXString name = r->clang->getCursorSpelling(declaration);
  out[0] = '\0';
  if (kind == CXCursor_Namespace) {
    qualify(r, outer, out, size);
  } else if (kind == CXCursor_ClassDecl || kind == CXCursor_StructDecl) {
    CXString type = r->clang->getTypeSpelling(r->clang->getCursorType(outer));
    snprintf(out, size, "%s", r->clang->getCString(type));
    r->clang->disposeString(type);
  } else if (kind == CXCursor_ClassTemplate) {
    CXString class = r->clang->getCursorSpelling(outer);
    snprintf(out, size, "%s", r->clang->getCString(class));
    r->clang->disposeString(class);
  }
  const size_t used = strlen(out);
  snprintf(out + used, size - used, "%s%s", used ? "::" : "", r->clang->getCString(name));
  r->clang->disposeString(name);
}

/* What std::make_unique() makes is in its type, of which the name says nothing: `std::make_unique<std::thread>`. */
static void add_made(char *name, size_t size, const char *type)
{
  const char *from = strchr(type, '<'), *end = strstr(type, "> (");
  const size_t used = strlen(name);
  if ((!strcmp(name, "std::make_unique") || !strcmp(name, "std::make_shared")) && from && from < end)
    snprintf(name + used, size - used, "%.*s", (int)(end + 1 - from), from);
}

bool is_lambda_type(const char *name)
{
  return !strncmp(name, "(lambda at ", strlen("(lambda at "));
}

uint64_t lambda_id(const char *name)
{
  return hash_string(HASH_START, name) & ~UINT64_C(1);
}

uint32_t symbol_of(struct syntax_reader *r, CXCursor declaration)
{
  char name[512];
  const bool label = r->clang->getCursorKind(declaration) == CXCursor_LabelStmt; /* of which data[0] is the function */
  const void *key = declaration.data[label ? 1 : 0];
  const uint32_t known = syntax_draft_declared(r->draft, key);
  if (known != SYNTAX_NONE)
    return known;
  struct syntax_symbol s = {.flags = flags_of(r, declaration)};
  CXType type = r->clang->getCursorType(declaration);
  s.id = id_of(r, declaration, s.flags);
  s.type = type_text(r, s.flags & SYMBOL_FUNCTION ? r->clang->getCanonicalType(type) : type);
  if (s.flags & SYMBOL_FUNCTION || s.flags & SYMBOL_GLOBAL) {
    qualify(r, declaration, name, sizeof name);
    add_made(name, sizeof name, r->draft->text + s.type);
    s.name = syntax_draft_text(r->draft, name, strlen(name));
    if (is_lambda_type(name))
      s.id = lambda_id(name);
  } else {
    CXString spelled = r->clang->getCursorSpelling(declaration);
    const char *text = r->clang->getCString(spelled);
    s.name = text ? syntax_draft_text(r->draft, text, strlen(text)) : 0;
    r->clang->disposeString(spelled);
  }
  if (!(s.flags & SYMBOL_FUNCTION) && strstr(r->draft->text + s.type, "atomic<"))
    s.flags |= SYMBOL_ATOMIC | SYMBOL_INTEGER;
  return syntax_draft_declare(r->draft, key, s);
}

uint32_t symbol_of_constructor(struct syntax_reader *r, CXType type)
{
  CXString text = r->clang->getTypeSpelling(r->clang->getCanonicalType(type));
  const char *spelled = r->clang->getCString(text), *last = strrchr(spelled, ':');
  char name[512];
  snprintf(name, sizeof name, "%s::%s", spelled, last ? last + 1 : spelled);
  r->clang->disposeString(text);
  const struct syntax_symbol s = {.id = hash_string(HASH_START, name) & ~UINT64_C(1),
                                  .name = syntax_draft_text(r->draft, name, strlen(name)),
                                  .flags = SYMBOL_FUNCTION};
  return syntax_draft_declare(r->draft, (const void *)(uintptr_t)(s.id | 3), s);
}

uint32_t symbol_of_pointer(struct syntax_reader *r, CXCursor callee)
{
  CXType type = r->clang->getCanonicalType(r->clang->getCursorType(callee));
  if (type.kind == CXType_Pointer)
    type = r->clang->getCanonicalType(r->clang->getPointeeType(type));
  struct syntax_symbol s = {.type = type_text(r, type)};
  s.id = mix64(hash_string(HASH_START, (r->draft->text + s.type))) & ~UINT64_C(1);
  return syntax_draft_declare(r->draft, (const void *)(uintptr_t)(s.id | 3), s);
}

#endif
